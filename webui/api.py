"""The JSON API ``api/v1/``: the page's own source of data, open to scripts as well."""

from __future__ import annotations

import hmac
import json
import threading
import time
from typing import Any

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import BadRequest, Forbidden, NotFound

from xlearning.job import Snapshot, to_dict
from xlearning.webui import view
from xlearning.webui.assets import Assets
from xlearning.webui.audience import Audience
from xlearning.webui.source import JobSource

MAX_CHUNK = 1024 * 1024  # bytes of log text in one answer
DEFAULT_CHUNK = 64 * 1024
_MAX_NUMBER = 1 << 53  # what a script's number still holds exactly


def viewer_name() -> str:
    """Who asks: YARN's proxy tells it in a cookie; without that proxy it is a user of this machine."""
    name = request.cookies.get("proxy-user", "")[:256]
    return name if name.isprintable() and name.strip() else "local user"


class Api:
    """Routes of ``api/v1/`` and ``healthz``."""

    def __init__(self, source: JobSource, nonce: str, assets: Assets, audience: Audience) -> None:
        self._source = source
        self._nonce = nonce
        self._assets = assets
        self._audience = audience
        self._text = _SnapshotText()

    def blueprint(self) -> Blueprint:
        """The routes, relative to the application's prefix."""
        routes = Blueprint("api", __name__)
        routes.add_url_rule("/healthz", view_func=self.healthz)
        routes.add_url_rule("/api/v1/job", view_func=self.job)
        routes.add_url_rule("/api/v1/containers", view_func=self.containers)
        routes.add_url_rule("/api/v1/containers/<container_id>", view_func=self.container)
        routes.add_url_rule("/api/v1/logs", view_func=self.logs)
        routes.add_url_rule("/api/v1/kill", view_func=self.kill, methods=["PUT"])
        routes.add_url_rule("/api/v1/save", view_func=self.save, methods=["PUT"])
        routes.add_url_rule("/api/v1/saves", view_func=self.saves)
        # where the original's own page asked for it
        routes.add_url_rule("/proxy/savedmodel", endpoint="savedmodel", view_func=self.save)
        routes.add_url_rule("/api/v1/openapi.json", view_func=self.openapi)
        return routes

    def healthz(self) -> Response:
        """Says that this server answers."""
        return jsonify(ok=True)

    def job(self) -> Response:
        """The whole snapshot, or a short "unchanged" for a viewer that has this version."""
        since = _number("since", -1)
        snapshot = self._source.snapshot()
        self._audience.answered(final=snapshot.state.final)
        now = time.time()
        if since == snapshot.version:
            return jsonify(
                unchanged=True, version=snapshot.version, attempt=snapshot.attempt, server_time=now
            )
        # The large part is written once per version for all viewers; only the time differs.
        body = f'{{"server_time": {now:.3f}, {self._text.of(snapshot)[1:]}'
        return Response(body, content_type="application/json")

    def containers(self) -> Response:
        """All containers, in the order of the page's table."""
        snapshot = self._source.snapshot()
        rows = [to_dict(c) for c in view.ordered(snapshot)]
        return jsonify(version=snapshot.version, server_time=time.time(), containers=rows)

    def container(self, container_id: str) -> Response:
        """One container."""
        return jsonify(to_dict(_find(self._source.snapshot(), container_id)))

    def logs(self) -> Response:
        """A piece of a log file, or without ``f`` the names and sizes of all of them."""
        container = _find(self._source.snapshot(), _text("c"))
        files = dict(self._source.log_files(container.id))
        about = {"container": container.id, "state": container.state.value, "final": container.state.final}
        name = request.args.get("f")
        if name is None:
            return jsonify(**about, files=files)
        offset = _number("offset", 0)
        limit = _number("limit", DEFAULT_CHUNK, least=1, most=MAX_CHUNK)
        try:
            if name not in files:
                raise FileNotFoundError(name)
            chunk = self._source.read_log(container.id, name, offset, limit)
        except FileNotFoundError as error:
            raise NotFound(f"container {container.id} has no log file {name!r}") from error
        return jsonify(**about, file=name, **to_dict(chunk))

    def kill(self) -> tuple[Response, int]:
        """Asks for the end of the job. Guarded by the nonce, as any site could send such a request."""
        self._check_nonce()
        ok, message = self._source.request_kill(viewer_name())
        answer = {"ok": ok, "message": message}
        return (jsonify(answer), 200) if ok else (jsonify(**answer, error=message), 409)

    def save(self) -> tuple[Response, int]:
        """Asks for a save of the output as it is now; answers at once. Guarded by the nonce."""
        self._check_nonce()
        ok, message, save_id = self._source.request_save(viewer_name())
        answer = {"ok": ok, "message": message}
        return (jsonify(**answer, id=save_id), 200) if ok else (jsonify(**answer, error=message), 409)

    def saves(self) -> Response:
        """Every save that is remembered, the newest first, and why none can begin now."""
        snapshot = self._source.snapshot()
        found = [to_dict(save) for save in snapshot.saves]
        return jsonify(
            version=snapshot.version, server_time=time.time(), note=snapshot.save_note, saves=found
        )

    def _check_nonce(self) -> None:
        given = request.args.get("nonce", "")
        if not hmac.compare_digest(given.encode(), self._nonce.encode()):
            raise Forbidden("wrong or missing nonce: reload the job page and try again")

    def openapi(self) -> Response:
        """The description of this API."""
        content, content_type = self._assets.read("openapi.json")
        return Response(content, content_type=content_type)


class _SnapshotText:
    """JSON text of the newest snapshot, written once per version."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version: tuple[int, int] | None = None
        self._text = ""

    def of(self, snapshot: Snapshot) -> str:
        version = (snapshot.attempt, snapshot.version)
        with self._lock:
            if self._version != version:
                content: dict[str, Any] = to_dict(snapshot)
                self._text = json.dumps({**content, "summary": view.summary(snapshot)})
                self._version = version
            return self._text


def _find(snapshot: Snapshot, container_id: str) -> Any:
    for container in snapshot.containers:
        if container.id == container_id:
            return container
    raise NotFound(f"no container {container_id!r} in {snapshot.app_id}")


def _text(name: str) -> str:
    value = request.args.get(name, "")
    if not value:
        raise BadRequest(f"argument {name!r} is missing")
    return value


def _number(name: str, default: int, *, least: int = 0, most: int = _MAX_NUMBER) -> int:
    text = request.args.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 16 and least <= int(text) <= most):
        raise BadRequest(
            f"argument {name!r} must be a whole number from {least} to {most}, not {text[:40]!r}"
        )
    return int(text)
