"""Puts page, API and assets together below one secret path.

What YARN's web proxy does shapes every answer: it passes GET, HEAD and PUT alone, drops cookies and
most headers, follows redirects itself, and fails on an answer without a body. So there are no
redirects, no 204 and 304, no sessions, and only relative addresses.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from flask import Flask, Response, g, jsonify
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from xlearning.errors import XLearningError
from xlearning.links import web_link
from xlearning.webui import view
from xlearning.webui.api import Api
from xlearning.webui.assets import Assets
from xlearning.webui.audience import Audience
from xlearning.webui.forward import Forward
from xlearning.webui.pages import Pages
from xlearning.webui.source import JobSource
from xlearning.webui.tunnel import Tunnel

MAX_BODY = 16 * 1024  # bytes; no request of ours has a body, those for TensorBoard have


def create_app(
    source: JobSource,
    *,
    prefix: str,
    nonce: str,
    audience: Audience | None = None,
    viewers: Sequence[str] = (),
) -> Flask:
    """The WSGI application of one job.

    Parameters
    ----------
    source : JobSource
        Where all data comes from.
    prefix : str
        The path segment below which everything lives; ASCII letters and digits.
    nonce : str
        Must come with every request that changes something; the page carries it.
    audience : Audience, optional
        Told about every answer to ``api/v1/job``.
    viewers : sequence of str
        Whom YARN's list lets in; the page says so.

    Raises
    ------
    ValueError
        ``prefix`` or ``nonce`` cannot stand in an address as it is.
    """
    for name, value in (("prefix", prefix), ("nonce", nonce)):
        if not re.fullmatch(r"[A-Za-z0-9]+", value):
            raise ValueError(f"{name} must be ASCII letters and digits, not {value!r}")
    app = Flask("xlearning.webui", static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=MAX_BODY, PROVIDE_AUTOMATIC_OPTIONS=False)
    app.json.ensure_ascii = True  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(view.filters())
    app.url_map.strict_slashes = False  # strict ones answer with a redirect
    app.url_map.merge_slashes = False
    assets = Assets()
    app.register_blueprint(Pages(source, nonce, assets, viewers).blueprint(), url_prefix=f"/{prefix}")
    app.register_blueprint(
        Api(source, nonce, assets, audience or Audience()).blueprint(), url_prefix=f"/{prefix}"
    )
    app.before_request(_draw_script_nonce)
    app.after_request(_add_headers)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(XLearningError, _provider_error)
    board = Tunnel(Forward(lambda: web_link(source.snapshot().board.url), lambda: _no_board(source)))
    app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {f"/{prefix}/tb": board})  # type: ignore[method-assign]
    return app


def _no_board(source: JobSource) -> str:
    return view.board_note(source.snapshot().board)


def _draw_script_nonce() -> None:
    g.script_nonce = secrets.token_urlsafe(16)


def _add_headers(response: Response) -> Response:
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Content-Security-Policy"] = (
        f"default-src 'self'; script-src 'self' 'nonce-{g.script_nonce}'; base-uri 'self'; "
        "form-action 'none'; frame-ancestors 'none'; object-src 'none'"
    )
    return response


def _http_error(error: HTTPException) -> tuple[Response, int]:
    return jsonify(error=error.description or error.name), error.code or 500


def _provider_error(error: XLearningError) -> tuple[Response, int]:
    return jsonify(error=str(error)), 503
