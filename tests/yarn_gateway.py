"""A user's machine in front of a real YARN, and a look at what an application runs on the nodes."""

from __future__ import annotations

import json
import re
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
from minihadoop import MiniHadoop
from submitting import PATIENCE, Gateway, Running, wait_for, words_of

from xlearning.fs import FileSystems
from xlearning.fs.base import exists, split_uri

# `xl-submit`, with these variables on every node
_NODES = """\
import json, sys, skein
more = json.loads(sys.argv.pop(1))
class Service(skein.Service):
    def __init__(self, **given):
        super().__init__(**{**given, "env": {**given.get("env", {}), **more}})
class Master(skein.Master):
    def __init__(self, **given):
        super().__init__(**{**given, "env": {**given.get("env", {}), **more}})
skein.Service, skein.Master = Service, Master
from xlearning.client.cli import main
sys.exit(main())
"""


class YarnGateway(Gateway):
    """Submits to the cluster; stages below the HDFS folder ``shared``, which keeps our package."""

    where = ()

    def __init__(self, root: Path, hadoop: MiniHadoop, shared: str, environ: dict[str, str]) -> None:
        super().__init__(root, hadoop.env(environ))
        self.shared = shared
        self._hadoop = hadoop
        self.storage = FileSystems(hadoop.hdfs_uri)
        self.properties = {
            "xlearning.staging.dir": f"{shared}/staging",
            "xlearning.history.log.dir": f"{shared}/history",
            "xlearning.am.memory": "512",
            "xlearning.worker.memory": "512",
            "xlearning.ps.memory": "512",
            "xlearning.agent.timeout": "60s",  # no container is lost to a busy machine
        }

    def look_through(self, view: str) -> None:
        """Call what is on HDFS by the name that it has in a view."""
        self.storage = FileSystems(view)
        self.shared = f"{view}{split_uri(self.shared)[2]}"
        self.properties["xlearning.staging.dir"] = f"{self.shared}/staging"
        self.properties["xlearning.history.log.dir"] = f"{self.shared}/history"

    def nodes_have(self, variables: Mapping[str, str]) -> None:
        """Let the nodes look like those of a cluster whose NodeManagers hand on ``variables``."""
        self.program = (sys.executable, "-c", _NODES, json.dumps(variables))

    def ask(self, path: str) -> Any:
        """What the ResourceManager's web service answers."""
        with urllib.request.urlopen(f"{self._hadoop.rm_web}{path}", timeout=PATIENCE) as reply:
            return json.load(reply)

    def application(self, app_id: str) -> Any:
        return self.ask(f"/ws/v1/cluster/apps/{app_id}")["app"]

    def submitted(self, running: Running) -> str:
        """The id, as soon as it is told."""
        running.said("Submitted")
        (line,) = [line for line in running.err.splitlines() if "Submitted" in line]
        return line.split()[-1]

    def kill_on_yarn(self, app_id: str) -> None:
        """From outside, as an administrator does; at once, while a command would first start its JVM."""
        address = f"{self._hadoop.rm_web}/ws/v1/cluster/apps/{app_id}/state"
        headers = {"Content-Type": "application/json"}
        wanted = urllib.request.Request(address, b'{"state": "KILLED"}', headers, method="PUT")
        urllib.request.urlopen(wanted, timeout=PATIENCE).close()
        wait_for(lambda: self.application(app_id)["finalStatus"] != "UNDEFINED")

    def end_applications(self) -> None:
        """What a failed test has left running would take the place of others."""
        for running in self._started:
            for app_id in re.findall(r"Submitted .* as (application_\d+_\d+)", running.err):
                if self.application(app_id)["finalStatus"] == "UNDEFINED":
                    self.kill_on_yarn(app_id)

    def nothing_is_left_of(self, app_id: str) -> None:
        """No process on the nodes, no staging folder, no folder of skein's."""
        settled(self, app_id)
        staged = [child.name for child in self.storage.default.list(f"{self.shared}/staging")]
        assert [name for name in staged if not name.startswith("cache-")] == []


def settled(gateway: YarnGateway, app_id: str) -> None:
    """No process, no staging folder and no folder of skein's is left of one application among others."""
    wait_for(lambda: not processes_of(app_id), message=f"{app_id}: processes are left")
    staging = f"{gateway.shared}/staging/{app_id}"
    wait_for(lambda: not exists(gateway.storage.default, staging), message=f"{staging} is left")
    folder = gateway.storage.resolve(f".skein/{app_id}")
    wait_for(lambda: not exists(gateway.storage.default, folder), message=f"{folder} is left")


def processes_of(app_id: str) -> list[psutil.Process]:
    """Everything on this host, which is all of the cluster's nodes, that belongs to an application."""
    found = []
    for process in psutil.process_iter():
        try:
            words = [process.cwd(), *process.cmdline(), process.environ().get("CONTAINER_ID", "")]
            if process.status() != psutil.STATUS_ZOMBIE and _names(app_id, words):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def part(app_id: str, name: str) -> psutil.Process:
    """Our process of an application that is called ``name``: am or agent."""
    (found,) = [
        p for p in processes_of(app_id) if words_of(p)[-1:] == [name] and "bootstrap.py" in words_of(p)[-2]
    ]
    return found


def _names(app_id: str, words: list[str]) -> bool:
    number = app_id.removeprefix("application_")
    return any(f"application_{number}" in word or f"container_{number}_" in word for word in words)
