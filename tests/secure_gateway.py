"""A user's machine in front of a secure YARN, and YARN's web pages as one user or another."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from minihadoop import MiniHadoop
from submitting import PATIENCE, Gateway, Running, wait_for
from webhdfs import WebHdfs
from yarn_gateway import processes_of

_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


class SecureGateway(Gateway):
    """Submits to a cluster with Kerberos; ``environment`` decides as whom."""

    where = ()

    def __init__(self, root: Path, hadoop: MiniHadoop, base: dict[str, str], user: str | None) -> None:
        super().__init__(root, hadoop.env(base, user))
        self.hadoop = hadoop
        self.properties = {
            "xlearning.am.memory": "512",
            "xlearning.worker.memory": "512",
            "xlearning.ps.memory": "512",
            "xlearning.agent.timeout": "60s",  # no container is lost to a busy machine
        }

    def hdfs(self, user: str) -> WebHdfs:
        """HDFS as a user."""
        return WebHdfs(self.hadoop.namenode_web, self.hadoop.web_cookie(user, "namenode"))

    def application(self, app_id: str, user: str) -> Any:
        """What the ResourceManager tells a user about an application."""
        status, body = self.fetch(f"{self.hadoop.rm_web}/ws/v1/cluster/apps/{app_id}", user)
        assert status == 200, body
        return json.loads(body)["app"]

    def fetch(self, url: str, user: str = "", *, method: str = "GET", header: str = "") -> tuple[int, str]:
        """Status and text of a page; without a user and a header as somebody who has not logged in."""
        headers = {"Authorization": header} if header else {}
        if user:
            headers["Cookie"] = self.hadoop.web_cookie(user)
        try:
            with _open(
                urllib.request.Request(url, method=method, headers=headers), timeout=PATIENCE
            ) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def submitted(self, running: Running) -> str:
        """The id, as soon as it is told."""
        running.said("Submitted")
        (line,) = [line for line in running.err.splitlines() if "Submitted" in line]
        return line.split()[-1]

    def nothing_is_left_of(self, app_id: str) -> None:
        """No process on the node, no staging folder, no folder of skein's."""
        wait_for(lambda: not processes_of(app_id), message=f"still there: {processes_of(app_id)}")
        staged = self.hdfs("alice").list("/tmp/XLearning/staging")
        assert [name for name in staged if not name.startswith("cache-")] == []
        wait_for(
            lambda: app_id not in self.hdfs("alice").list("/user/alice/.skein"), message="skein's is left"
        )
