"""Which language is wanted, as gettext decides it. Loads nothing for those who read English."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TextIO

from xlearning.errors import XLearningError

if TYPE_CHECKING:
    from xlearning.client.language.speaker import Speaker

ENGLISH, CHINESE = "", "zh"
_SOURCE = ("en", "c", "posix")


def wanted(environ: Mapping[str, str]) -> str:
    """``zh``, or empty for English.

    The first of ``LC_ALL``, ``LC_MESSAGES`` and ``LANG`` that is set decides; unless that is C, the first
    language of ``LANGUAGE`` that is known here goes before it.
    """
    locale = next(filter(None, map(environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "C")
    if _plain(locale) in ("c", "posix"):
        return ENGLISH
    for name in (*environ.get("LANGUAGE", "").split(":"), locale):
        if _plain(name) == CHINESE:
            return CHINESE
        if _plain(name) in _SOURCE:
            return ENGLISH
    return ENGLISH


def speaker(stream: TextIO) -> Speaker | None:
    """Who speaks the wanted language on ``stream``; None where that is English."""
    language = wanted(os.environ)
    if not language:
        return None
    from xlearning.client.language.catalogue import catalogue
    from xlearning.client.language.speaker import Speaker

    return Speaker(catalogue(language), stream.encoding or "utf-8")


def answering() -> Callable[[str], str]:
    """What puts a text for a person on standard output into the wanted language."""
    found = speaker(sys.stdout)
    return found.sentence if found else str


def said(error: XLearningError) -> str:
    """An error with its way out, as standard error is told."""
    found = speaker(sys.stderr)
    return str(error) if found is None else found.error(error)


def _plain(locale: str) -> str:
    """``zh`` for ``zh_CN.UTF-8``."""
    return locale.partition(".")[0].partition("@")[0].partition("_")[0].partition("-")[0].lower()
