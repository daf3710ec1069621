"""Jobs and queues for completion: asked quickly, silently, without a JVM, and remembered for seconds."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from xlearning.jsonfile import build, read_local

_PATIENCE = 1.0  # seconds; a person waits with a finger on the key
_FRESH, _QUEUES_FRESH = 5.0, 60.0  # seconds that an answer is good for
_MOST = 50  # jobs


def jobs() -> list[dict[str, Any]]:
    """The user's jobs, the newest first: ``id``, ``ended``, ``submitted``, and ``about`` for people."""

    def ask() -> list[dict[str, Any]]:
        known = [*_quickly(_local_jobs), *_quickly(_yarn_jobs)]
        return sorted(known, key=lambda one: -one["submitted"])[:_MOST]

    return remembered("jobs", _FRESH, ask)


def queues() -> list[str]:
    """Names of the queues that take jobs."""
    return remembered("queues", _QUEUES_FRESH, lambda: _quickly(_yarn_queues))


def leaf_queues(answer: Any) -> Iterator[str]:
    """Names of the queues without queues below them, in an answer of YARN's scheduler."""
    for name, inner in answer.items() if isinstance(answer, Mapping) else ():
        if name in ("queues", "childQueues", "rootQueue", "schedulerInfo", "scheduler"):
            yield from leaf_queues(inner)
        elif name == "queue":
            for one in inner if isinstance(inner, list) else [inner]:
                yield from _leaves(one)


def _leaves(queue: Mapping[str, Any]) -> Iterator[str]:
    below = list(leaf_queues(queue))
    name = queue.get("queuePath") or queue.get("queueName")
    yield from below or ([str(name)] if name else [])


def remembered(what: str, fresh: float, ask: Callable[[], list[Any]]) -> list[Any]:
    """The answer that is on file, if it is younger than ``fresh`` seconds; else a new one."""
    path = _cache() / f"{what}-{_setting()}.json"
    with contextlib.suppress(OSError, ValueError):
        if 0 <= time.time() - path.stat().st_mtime < fresh:
            return list(read_local(path))
    found = ask()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = path.with_suffix(f".{os.getpid()}")
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(found, file)
        new.replace(path)
    return found


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "xlearning" / "completion"


def _setting() -> str:
    """What an answer depends on, in few letters."""
    names = ("CONF_DIR", "HOME", "USER_NAME")
    known = ("HOME", "YARN_CONF_DIR", "XLEARNING_CONF_DIR", *(f"HADOOP_{name}" for name in names))
    text = "\0".join(os.environ.get(name, "") for name in known)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _quickly(ask: Callable[[], list[Any]]) -> list[Any]:
    """The answer, if it comes in time and without an error."""
    found: list[Any] = []

    def work() -> None:
        with contextlib.suppress(Exception):
            found.extend(ask())

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    return list(found)


def _local_jobs() -> list[dict[str, Any]]:
    """Read from the files of the local back end; it itself would first end what was left behind."""
    from xlearning.cluster.base import ApplicationReport
    from xlearning.config import find_conf_dir, load

    config = load(environ=os.environ, conf_dir=find_conf_dir(os.environ))
    apps = Path(config.get("xlearning.local.dir")).expanduser() / "apps"
    names = sorted((child.name for child in apps.iterdir()), reverse=True) if apps.is_dir() else []
    found = []
    for name in names[:_MOST]:
        with contextlib.suppress(OSError, ValueError):
            found.append(_job(build(ApplicationReport, read_local(apps / name / "app.json"))))
    return found


def _yarn_jobs() -> list[dict[str, Any]]:
    from xlearning.client.settings import user_name

    return [_job(one) for one in _web().list(user_name(os.environ))[:_MOST]]


def _yarn_queues() -> list[str]:
    return list(leaf_queues(_web().get("/ws/v1/cluster/scheduler")))


def _web() -> Any:
    from xlearning.cluster.hadoop_site import HadoopSite
    from xlearning.cluster.resource_manager import ResourceManagerWeb

    return ResourceManagerWeb(HadoopSite.from_environ(os.environ), timeout=_PATIENCE)


def _job(report: Any) -> dict[str, Any]:
    about = f"{report.state.value} {report.name}"
    return {
        "id": report.app_id,
        "ended": report.state.final,
        "submitted": report.submitted,
        "about": about if about.isprintable() else "",
    }
