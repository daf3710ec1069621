"""Asking the daemons how they are."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Callable
from typing import Any

from . import realm
from .configuration import address
from .daemons import kind, names
from .layout import State

TIMEOUT = 15.0
"""Seconds that a daemon may take to answer."""

# Loopback never goes through a proxy, whatever the environment says.
_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def troubles(state: State) -> dict[str, str]:
    """What each daemon lacks for being fully up, in words; those that lack nothing are left out."""
    found: dict[str, str] = {}
    for name in names(state.nodes, state.secure):
        process = state.daemons.get(name)
        condition = "dead" if process is None else process.state
        if condition != "running":
            found[name] = condition
    for name in names(state.nodes, state.secure):
        if name not in found:
            trouble = _ask(_PROBES[kind(name)], state, name, found)
            if trouble:
                found[name] = trouble
    return found


def _ask(
    probe: Callable[[State, str, dict[str, str]], str], state: State, name: str, down: dict[str, str]
) -> str:
    try:
        return probe(state, name, down)
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        reason = getattr(error, "reason", error)
        return f"does not answer yet ({reason})"


def _namenode(state: State, name: str, down: dict[str, str]) -> str:
    if "datanode" in down:
        _bean(state, name, "NameNode", "NameNodeStatus")
        return ""
    if _bean(state, name, "NameNode", "FSNamesystemState")["NumLiveDataNodes"] < 1:
        return "sees no live data node yet"
    return "is in safe mode" if _bean(state, name, "NameNode", "NameNodeInfo")["Safemode"] else ""


def _datanode(state: State, name: str, down: dict[str, str]) -> str:
    actors = json.loads(_bean(state, name, "DataNode", "DataNodeInfo")["BPServiceActorInfo"])
    if "namenode" in down or any(actor["ActorState"] == "RUNNING" for actor in actors):
        return ""
    return "has not reached the namenode yet"


def _resourcemanager(state: State, name: str, _down: dict[str, str]) -> str:
    started = _get(state, name, "/ws/v1/cluster/info")["clusterInfo"]["state"]
    return "" if started == "STARTED" else f"is {started}"


def _nodemanager(state: State, name: str, down: dict[str, str]) -> str:
    info = _get(state, name, "/ws/v1/node/info")["nodeInfo"]
    if not info["nodeHealthy"]:
        return f"is unhealthy: {info['healthReport']}"
    if "resourcemanager" in down or info["id"] in live_nodes(state):
        return ""
    return "is not RUNNING for the resourcemanager yet"


def _kdc(state: State, name: str, _down: dict[str, str]) -> str:
    with socket.create_connection(("127.0.0.1", state.ports[f"{name}.kdc"]), TIMEOUT):
        return ""


_PROBES: dict[str, Callable[[State, str, dict[str, str]], str]] = {
    "kdc": _kdc,
    "namenode": _namenode,
    "datanode": _datanode,
    "resourcemanager": _resourcemanager,
    "nodemanager": _nodemanager,
}


def live_nodes(state: State) -> list[str]:
    """Ids of the nodes that the ResourceManager calls RUNNING.

    Raises
    ------
    OSError
        It does not answer.
    """
    answer = _get(state, "resourcemanager", "/ws/v1/cluster/nodes?states=RUNNING")
    return [node["id"] for node in (answer["nodes"] or {}).get("node", [])]


def live_datanodes(state: State) -> int:
    """Number of data nodes that the NameNode calls live; OSError where it does not answer."""
    return int(_bean(state, "namenode", "NameNode", "FSNamesystemState")["NumLiveDataNodes"])


def _bean(state: State, daemon: str, service: str, name: str) -> Any:
    return _get(state, daemon, f"/jmx?qry=Hadoop:service={service},name={name}")["beans"][0]


def _get(state: State, daemon: str, path: str) -> Any:
    headers = {"Accept": "application/json"}
    if state.secure:
        headers["Cookie"] = realm.web_cookie(
            state.web_secret, "nn", "kerberos-dt" if daemon == "resourcemanager" else "kerberos"
        )
    request = urllib.request.Request(f"http://{address(state, f'{daemon}.http')}{path}", headers=headers)
    with _open(request, timeout=TIMEOUT) as answer:
        return json.load(answer)
