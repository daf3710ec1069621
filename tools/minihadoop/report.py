"""What ``status`` shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import configuration, daemons, health
from .layout import State


def build(root: Path, state: State) -> dict[str, Any]:
    """Ask everybody and return the report of ``status --json``.

    Returns
    -------
    dict
        ``up``, ``dir``, ``hadoop``, ``nodes`` (wanted), ``live_nodes`` (ids), ``live_datanodes`` (number),
        and ``daemons``: name to ``process`` (running, paused or dead), ``pid``, ``addresses``, ``trouble``.
    """
    troubles = health.troubles(state)
    found: dict[str, Any] = {}
    for name in daemons.names(state.nodes, state.secure):
        process = state.daemons.get(name)
        condition = "dead" if process is None else process.state
        found[name] = {
            "process": condition,
            "pid": process.pid if process is not None and condition != "dead" else None,
            "addresses": _addresses(state, name),
            "trouble": troubles.get(name, ""),
        }
    return {
        "up": not troubles,
        "dir": str(root),
        "hadoop": state.version,
        "nodes": state.nodes,
        "live_nodes": _live_nodes(state) if found["resourcemanager"]["process"] == "running" else [],
        "live_datanodes": _live_datanodes(state) if found["namenode"]["process"] == "running" else 0,
        "daemons": found,
    }


def render(report: dict[str, Any]) -> str:
    """The report for people."""
    lines = [f"Hadoop {report['hadoop']} in {report['dir']}: {'up' if report['up'] else 'NOT fully up'}"]
    for name, daemon in report["daemons"].items():
        running = daemon["process"] == "running"
        process = f"{daemon['process']} {daemon['pid'] or ''}"
        addresses = "  ".join(daemon["addresses"].values())
        lines.append(f"  {name:16} {process:14} {addresses}  {daemon['trouble'] if running else ''}".rstrip())
    live = len(report["live_nodes"])
    lines.append(f"  {live} of {report['nodes']} nodes RUNNING, {report['live_datanodes']} data node live")
    return "\n".join(lines)


def _addresses(state: State, name: str) -> dict[str, str]:
    if name == "kdc":
        return {"kdc": configuration.address(state, "kdc.kdc")}
    main = "data" if name == "datanode" else "rpc"
    address = configuration.address(state, f"{name}.{main}")
    return {
        main: f"hdfs://{address}" if name == "namenode" else address,
        "http": f"http://{configuration.address(state, f'{name}.http')}",
    }


def _live_nodes(state: State) -> list[str]:
    try:
        return health.live_nodes(state)
    except OSError:
        return []


def _live_datanodes(state: State) -> int:
    try:
        return health.live_datanodes(state)
    except OSError:
        return 0
