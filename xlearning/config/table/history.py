"""The job's page, and the history server of the original."""

from __future__ import annotations

from xlearning.config.schema import Group, Key, Kind, ignored, key

_K = Kind
_NO_SERVER = ignored("a history server is not part of this version yet")

PAGE = Group(
    "The job's page",
    (
        key("webui.enable", _K.BOOL, "true", "Serve the job's page."),
        key("webui.acl", _K.ENUM, "AUTO",
            "Who may open the page on YARN. OWNER: the user and xlearning.webui.acl.users; OPEN: everybody "
            "whom YARN lets through; AUTO: OWNER where YARN's web pages ask for a login, else OPEN.",
            values=("AUTO", "OWNER", "OPEN")),
        key("webui.acl.users", _K.LIST, None, "Who may open the page besides the owner; * is everybody."),
    ),
)  # fmt: skip


def _server(
    short: str,
    default: str | None,
    doc: str,
    *,
    defaults: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
) -> Key:
    return key(short, _K.STRING, default, doc, defaults=defaults, also=also, effect=_NO_SERVER)


HISTORY_SERVER = Group(
    "History server",
    (
        _server("history.log.max-age-ms", "604800000", "How long records are kept.", defaults=("86400000",)),
        _server("history.log.delete-monitor-time-interval", "86400000", "How often old records are deleted."),
        _server("history.address", "0.0.0.0:10021", "Its address."),
        _server("history.port", "10021", "Its port."),
        _server("history.webapp.address", "0.0.0.0:19886", "Address of its pages.",
                defaults=("0.0.0.0:19666",)),
        _server("history.webapp.port", "19886", "Port of its pages.", defaults=("19666",)),
        _server("history.webapp.https.address", "0.0.0.0:19885", "Address of its pages, with TLS.",
                also=("history.webapp.https.addresss",), defaults=("0.0.0.0:19667",)),
        _server("history.webapp.https.port", "19885", "Port of its pages, with TLS.", defaults=("19667",)),
        _server("history.bind-host", None, "Address that it listens on."),
        _server("history.client.thread-count", "10", "Threads that answer."),
        _server("history.recovery.enable", "false", "Keep its state over a restart."),
        _server("history.http.policy", "HTTP_ONLY", "HTTP_ONLY, or HTTPS_ONLY."),
        _server("history.keytab", None, "Its keytab."),
        _server("history.principal", None, "Its principal."),
        _server("history.admin.address", "0.0.0.0:10043", "Hbox: declared, and never read.",
                defaults=("0.0.0.0:10033",)),
        _server("history.admin.port", "10043", "Hbox: declared, and never read.", defaults=("10033",)),
        _server("history.admin.acl", "*", "Hbox: declared, and never read."),
        _server("webapp.spnego-principal", None, "Principal of its pages."),
        _server("webapp.spnego-keytab-file", None, "Keytab of its pages."),
        _server("cluster.delegation.key.update-interval", "86400000", "Life of its delegation keys."),
        _server("cluster.delegation.token.renew-interval", "86400000", "Life of its tokens, not renewed."),
        _server("cluster.delegation.token.max-lifetime", "86400000", "Life of its tokens.",
                defaults=("604800000",)),
    ),
)  # fmt: skip
