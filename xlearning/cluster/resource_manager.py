"""YARN's ResourceManager as its web service shows it: reports without a JVM."""

from __future__ import annotations

import json
import re
import socket
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from typing import Any

from xlearning.cluster import gssapi, yarn_words
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.hadoop_site import HadoopSite, ResourceManager
from xlearning.errors import ApplicationNotFound, ClusterError, ClusterUnavailable
from xlearning.job import AppState
from xlearning.links import web_link

INFO = "/ws/v1/cluster/info"
APPS = "/ws/v1/cluster/apps"
TAG = "xlearning"  # how our applications are found among others
_TYPE_TAG = f"{TAG}-type-"

_TIMEOUT = 5.0  # seconds for one ResourceManager
_ALL_TIMEOUT = 10.0  # seconds for all of them
_FIX = "look whether YARN is up, and whether HADOOP_CONF_DIR is that of the right cluster"
_ATTEMPT = re.compile(r"container_(?:e\d+_)?\d+_\d+_(\d+)_\d+")
_TYPE = re.compile(r"[a-z0-9_.-]{1,60}")
_STATES = {
    "RUNNING": AppState.RUNNING,
    "FAILED": AppState.FAILED,
    "KILLED": AppState.KILLED,
}
_FINAL = {
    "SUCCEEDED": AppState.SUCCEEDED,
    "FAILED": AppState.FAILED,
    "KILLED": AppState.KILLED,
}


class Refused(ClusterError):
    """The web service wants a login that this client does not have."""


def check_reachable(site: HadoopSite) -> None:
    """Have a ResourceManager's RPC port answer: Hadoop's own clients would retry for minutes.

    Raises
    ------
    ClusterUnavailable
        None of them can be connected to, or answers.
    """
    managers = site.resource_managers
    timeout = min(_TIMEOUT, _ALL_TIMEOUT / len(managers))
    reasons = []
    for manager in managers:
        try:
            _probe(manager.rpc, timeout)
            return
        except (OSError, ValueError) as error:
            reasons.append(f"{manager.rpc} ({error})")
    raise ClusterUnavailable(f"no ResourceManager can be reached at {', '.join(reasons)}", hint=_FIX)


def _probe(address: str, timeout: float) -> None:
    """Hear something from a Hadoop RPC port.

    Every version answers an HTTP request with a remark, before any login. One that only accepts the
    connection is a ResourceManager that hangs, or a firewall.
    """
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        try:
            connection.recv(1)  # a port that closes the connection is alive as well
        except TimeoutError:
            raise TimeoutError(f"accepts the connection, but does not answer within {timeout:g} s") from None


class ResourceManagerWeb:
    """Asks the ResourceManagers of a site, the one that answered last first.

    Parameters
    ----------
    timeout : float
        Seconds that each of them gets for an answer.
    """

    def __init__(self, site: HadoopSite, timeout: float = _TIMEOUT) -> None:
        self._managers = list(site.resource_managers)
        self._timeout = timeout
        # proxies of the environment lead out of the cluster, not into it
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def asks_who(self) -> bool:
        """Whether YARN's web pages want a login, so that their viewers have names.

        Raises
        ------
        ClusterUnavailable
            No ResourceManager answers.
        """
        try:
            self._get(INFO, log_in=False)
        except Refused:
            return True
        return False

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands.

        Raises
        ------
        ApplicationNotFound
            YARN does not know it (any more).
        ClusterUnavailable
            No ResourceManager answers.
        Refused
            The web service wants Kerberos.
        """
        try:
            return to_report(self._get(f"{APPS}/{urllib.parse.quote(app_id)}")["app"])
        except FileNotFoundError:
            raise ApplicationNotFound(f"YARN does not know {app_id}") from None

    def page(self, app_id: str) -> str:
        """Address of YARN's own page of an application, at the ResourceManager that answered last."""
        return f"{self._managers[0].web}/cluster/app/{urllib.parse.quote(app_id)}"

    def list(self, user: str | None) -> Sequence[ApplicationReport]:
        """Our applications of a user (None: of all users), newest first."""
        query = urllib.parse.urlencode({**({"user": user} if user else {}), "applicationTags": TAG})
        found = (self._get(f"{APPS}?{query}").get("apps") or {}).get("app") or []
        return sorted((to_report(app) for app in found), key=lambda report: -report.submitted)

    def marked(self, tag: str) -> Sequence[str]:
        """Ids of the applications with a tag that have not ended."""
        found = (self._get(f"{APPS}?applicationTags={urllib.parse.quote(tag)}").get("apps") or {}).get("app")
        return [report.app_id for report in map(to_report, found or []) if not report.state.final]

    def get(self, path: str) -> Any:
        """What the web service answers to a GET; `FileNotFoundError` for a path that it does not know."""
        return self._get(path)

    def set_priority(self, app_id: str, priority: int, user: str) -> int:
        """Change the priority of an application; the one that it then has.

        ``user`` is who we are where the web service asks for no login.
        """
        query = urllib.parse.urlencode({"user.name": user})
        path = f"{APPS}/{urllib.parse.quote(app_id)}/priority?{query}"
        return int(self._get(path, body={"priority": priority})["priority"])

    def kill(self, app_id: str, why: str, user: str) -> None:
        """Begin to end an application; ``why`` goes into its diagnostics.

        ``user`` is who we are where the web service asks for no login.
        """
        query = urllib.parse.urlencode({"user.name": user})
        path = f"{APPS}/{urllib.parse.quote(app_id)}/state?{query}"
        self._get(path, body={"state": "KILLED", "diagnostics": why})

    def _get(self, path: str, *, log_in: bool = True, body: Mapping[str, Any] | None = None) -> Any:
        reasons = []
        for manager in list(self._managers):
            try:
                answer = self._ask(manager, path, log_in=log_in, body=body)
            except (ClusterError, FileNotFoundError):
                raise
            except (OSError, HTTPException, ValueError) as error:  # ValueError: not JSON, as from a standby
                reasons.append(f"{manager.web} ({getattr(error, 'reason', error)})")
                continue
            self._managers.remove(manager)
            self._managers.insert(0, manager)
            return answer
        raise ClusterUnavailable(f"no ResourceManager answers at {', '.join(reasons)}", hint=_FIX)

    def _ask(
        self,
        manager: ResourceManager,
        path: str,
        *,
        log_in: bool,
        authorization: str = "",
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        headers = {"Accept": "application/json"}
        if authorization:
            headers["Authorization"] = authorization
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        method = "GET" if data is None else "PUT"
        request = urllib.request.Request(manager.web + path, data, headers, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 404:
                    raise FileNotFoundError(path) from error
                if error.code == 401 and log_in and not authorization:
                    token = negotiate(manager.web, error)
                    return self._ask(manager, path, log_in=log_in, authorization=token, body=body)
                if error.code in (401, 403):
                    raise Refused(f"{manager.web} wants a login ({error.code})") from error
                raise


def negotiate(web: str, error: urllib.error.HTTPError) -> str:
    """The answer to a web service that asks for SPNEGO; `Refused` where there is none."""
    offered = [offer.partition(" ")[0].lower() for offer in error.headers.get_all("WWW-Authenticate") or ()]
    if "negotiate" not in offered:
        raise Refused(f"{web} wants a login other than Kerberos")
    try:
        return gssapi.negotiate(urllib.parse.urlsplit(web).hostname or "")
    except gssapi.GssError as failure:
        raise Refused(f"{web} wants Kerberos: {failure}") from failure


def to_report(app: Mapping[str, Any]) -> ApplicationReport:
    """A report from one ``app`` record of the web service."""
    state = app.get("state", "")
    if state in ("FINISHING", "FINISHED"):
        mapped = _FINAL.get(app.get("finalStatus", ""), AppState.RUNNING)
    else:
        mapped = _STATES.get(state, AppState.SUBMITTED)
    attempt = _ATTEMPT.search(app.get("amContainerLogs") or "")
    finished = (app.get("finishedTime") or 0) / 1000
    return ApplicationReport(
        app_id=app["id"],
        name=app.get("name", ""),
        user=app.get("user", ""),
        state=mapped,
        diagnostics=yarn_words.application_end((app.get("diagnostics") or "").strip()),
        tracking_url=web_link(app.get("trackingUrl") or ""),
        attempt=int(attempt.group(1)) if attempt else 0,
        submitted=(app.get("startedTime") or 0) / 1000,
        finished=finished or None,
        app_type=_type_of(app.get("applicationTags") or ""),
        queue=app.get("queue") or "",
    )


def tags(app_type: str) -> set[str]:
    """The tags of an application of ours. YARN takes few characters, and keeps them in lower case."""
    known = _TYPE.fullmatch(app_type.lower())
    return {TAG, f"{_TYPE_TAG}{app_type.lower()}"} if known else {TAG}


def _type_of(tags: str) -> str:
    found = [tag.strip() for tag in tags.split(",") if tag.strip().startswith(_TYPE_TAG)]
    return found[0][len(_TYPE_TAG) :].upper() if found else ""
