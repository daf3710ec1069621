"""Addresses that others have written, and people click on."""

from __future__ import annotations

import dataclasses
from urllib.parse import urlsplit

from xlearning.job import Snapshot


def web_link(url: str) -> str:
    """``url`` if a browser may open it (http or https), else an empty string."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.netloc else ""


def harmless(snapshot: Snapshot) -> Snapshot:
    """A snapshot whose addresses a browser may open; for each that is taken out it has a note more."""
    page, board = snapshot.page_url, snapshot.board
    notes = list(snapshot.notes)
    for what, url in (("page", page), ("TensorBoard", board.url)):
        if url and not web_link(url):
            notes.append(f"the address of its {what} is not shown, for no browser may open it: {url}")
    if len(notes) == len(snapshot.notes):
        return snapshot
    board = dataclasses.replace(board, url=web_link(board.url))
    return dataclasses.replace(snapshot, page_url=web_link(page), board=board, notes=tuple(notes))
