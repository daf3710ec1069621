"""The job's page, and the history server of the original."""

from __future__ import annotations

from xlearning.config.schema import HBOX_PREFIX, PREFIX, Family, Group, Key, Kind, ignored, key

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
        _server("history.log.max-age-ms", "604800000", "How long the history server keeps records.",
                defaults=("86400000",)),
        _server("history.log.delete-monitor-time-interval", "86400000",
                "How often the history server deletes old records."),
        _server("history.address", "0.0.0.0:10021", "Address of the history server."),
        _server("history.port", "10021", "Port of the history server."),
        _server("history.webapp.address", "0.0.0.0:19886", "Address of the history server's pages.",
                defaults=("0.0.0.0:19666",)),
        _server("history.webapp.port", "19886", "Port of the history server's pages.", defaults=("19666",)),
        _server("history.webapp.https.address", "0.0.0.0:19885",
                "Address of the history server's pages, with TLS.", also=("history.webapp.https.addresss",),
                defaults=("0.0.0.0:19667",)),
        _server("history.webapp.https.port", "19885", "Port of the history server's pages, with TLS.",
                defaults=("19667",)),
        _server("history.bind-host", None, "Address that the history server listens on."),
        _server("history.client.thread-count", "10", "Threads of the history server that answer."),
        _server("history.recovery.enable", "false", "Keep the history server's state over a restart."),
        _server("history.http.policy", "HTTP_ONLY",
                "HTTP_ONLY, or HTTPS_ONLY, for the history server's pages."),
        _server("history.keytab", None, "Keytab of the history server."),
        _server("history.principal", None, "Principal of the history server."),
        _server("history.admin.address", "0.0.0.0:10043", "Hbox: declared, and never read.",
                defaults=("0.0.0.0:10033",)),
        _server("history.admin.port", "10043", "Hbox: declared, and never read.", defaults=("10033",)),
        _server("history.admin.acl", "*", "Hbox: declared, and never read."),
        _server("webapp.spnego-principal", None, "Principal of the history server's pages."),
        _server("webapp.spnego-keytab-file", None, "Keytab of the history server's pages."),
        _server("cluster.delegation.key.update-interval", "86400000",
                "Life of the history server's delegation keys."),
        _server("cluster.delegation.token.renew-interval", "86400000",
                "Life of the history server's tokens, not renewed."),
        _server("cluster.delegation.token.max-lifetime", "86400000", "Life of the history server's tokens.",
                defaults=("604800000",)),
    ),
)  # fmt: skip

PAGES_OF_CLUSTERS = Family(
    PREFIX,
    "Hbox: address of the history server's pages of the cluster NAME.",
    (HBOX_PREFIX,),
    _NO_SERVER,
    ".history.webapp.address",
)
