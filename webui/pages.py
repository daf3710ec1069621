"""The HTML pages: the job and its logs, complete without scripts, kept fresh by them."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import NamedTuple

from flask import Blueprint, Response, abort, g, render_template, request

from xlearning.errors import XLearningError
from xlearning.job import ContainerState, ContainerView, SaveState, SaveView, Snapshot
from xlearning.webui import view
from xlearning.webui.api import viewer_name
from xlearning.webui.assets import Assets
from xlearning.webui.source import JobSource

TAIL = 64 * 1024  # bytes of a log file that the page starts with
_ANONYMOUS = "dr.who"  # the name by which Hadoop calls everybody where it asks for no login
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
# Fills the <template> from which scripts make new rows.
_BLANK = ContainerView("", "", None, 0, "", ContainerState.GRANTED)
_BLANK_SAVE = SaveView("", (), SaveState.RUNNING, "", 0.0, None, 0, 0)


class LogTail(NamedTuple):
    """The end of a log file as the page first shows it."""

    text: str
    offset: int
    next_offset: int


class Pages:
    """Routes of the pages and of their scripts and styles."""

    def __init__(self, source: JobSource, nonce: str, assets: Assets, viewers: Sequence[str] = ()) -> None:
        self._source = source
        self._viewers = viewers
        self._nonce = nonce
        self._assets = assets

    def blueprint(self) -> Blueprint:
        """The routes, relative to the application's prefix."""
        routes = Blueprint("pages", __name__)
        routes.add_url_rule("/", view_func=self.job)
        routes.add_url_rule("/logs", view_func=self.logs)
        routes.add_url_rule(f"/static/{self._assets.digest}/<path:name>", view_func=self.asset)
        return routes

    def job(self) -> str:
        """The job page."""
        snapshot = self._source.snapshot()
        return self._render(
            "job.html",
            snapshot=snapshot,
            about=view.summary(snapshot),
            containers=view.ordered(snapshot),
            failing=view.failing(snapshot),
            waiting=view.waiting(snapshot),
            blank=_BLANK,
            blank_save=_BLANK_SAVE,
            nonce=self._nonce,
            viewer=viewer_name(),
            access=_access(self._viewers),
        )

    def logs(self) -> tuple[str, int]:
        """The log viewer: ``logs?c=<container id>&f=<file name>``."""
        snapshot = self._source.snapshot()
        wanted, name = request.args.get("c", ""), request.args.get("f", "")
        container = next((c for c in snapshot.containers if c.id == wanted), None)
        if container is None:
            page = self._render("missing.html", snapshot=snapshot, wanted=wanted)
            return page, 404
        files = dict(self._source.log_files(container.id))
        name = name or ("stdout" if "stdout" in files or not files else min(files))
        known = name in files
        tail = self._tail(container.id, name, files[name]) if known else LogTail("", 0, 0)
        page = self._render(
            "logs.html",
            snapshot=snapshot,
            container=container,
            files=files,
            name=name,
            known=known,
            tail=tail,
        )
        # A file may still come while its container lives, so that is not an error.
        return page, 200 if known or not container.state.final or not files else 404

    def asset(self, name: str) -> Response:
        """A script or style; its address changes with its content."""
        try:
            content, content_type = self._assets.read(name)
        except KeyError:
            abort(404, f"no file {name!r}")
        response = Response(content, content_type=content_type)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        # The proxy adds "Pragma: no-cache" unless there is one, and browsers then load everything again.
        response.headers["Pragma"] = "cache"
        return response

    def _render(self, template: str, *, snapshot: Snapshot, **values: object) -> str:
        text = render_template(
            template,
            snapshot=snapshot,
            title=view.title(snapshot),
            static=f"static/{self._assets.digest}",
            script_nonce=g.script_nonce,
            now=time.time(),
            slashed=request.path.endswith("/"),  # then relative addresses need a step up
            **values,
        )
        return text.encode("utf-8", "backslashreplace").decode()  # commands may hold bytes that are no text

    def _tail(self, container_id: str, name: str, size: int) -> LogTail:
        try:
            chunk = self._source.read_log(container_id, name, max(0, size - TAIL), TAIL)
        except FileNotFoundError as error:
            abort(404, f"container {container_id} has no log file {error}")
        except XLearningError:  # an agent is busy; the script asks again from there
            return LogTail("", max(0, size - TAIL), max(0, size - TAIL))
        return LogTail(clean(chunk.text), chunk.offset, chunk.next_offset)


def clean(text: str) -> str:
    """Log text without terminal escapes; a lone carriage return (progress bars) starts a new line."""
    return _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def _access(viewers: Sequence[str]) -> str:
    """One sentence on who can see this page."""
    name = request.cookies.get("proxy-user")
    if viewers and "*" not in viewers:
        return f"YARN opens this page to {', '.join(viewers)} alone."
    if name is None:
        return "Only this machine can open this page, by anybody on it who knows its address."
    if name == _ANONYMOUS:
        return "Open to everybody who can reach YARN's web pages: this cluster does not ask who you are."
    return "Open to everybody whom YARN's web proxy lets through."
