"""What all tests on the real YARN share: one staging root, so that our package is packed once."""

from __future__ import annotations

import getpass
import itertools
import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from places import Place
from webhdfs import WebHdfs
from yarn_gateway import YarnGateway

from xlearning.client.console import open_console
from xlearning.client.packaging.delivery import deliver
from xlearning.client.uploading.cache import Cache
from xlearning.config import Config
from xlearning.fs import FileSystems


@pytest.fixture(scope="session")
def yarn_shared(hadoop: MiniHadoop) -> Iterator[str]:
    """HDFS folder of staging and history, for every user; our package is there already."""
    path = f"/test-yarn-{uuid.uuid4().hex}"
    storage = FileSystems(hadoop.hdfs_uri)
    for name in ("staging", "history"):
        folder = f"{hadoop.hdfs_uri}{path}/{name}"
        storage.default.mkdirs(folder, mode=0o1777)
        storage.default.chmod(folder, 0o1777)
    cache = Cache(storage, f"{hadoop.hdfs_uri}{path}/staging", getpass.getuser(), time.time())
    deliver(Config.from_properties({}), storage, cache, open_console())
    yield hadoop.hdfs_uri + path
    WebHdfs(hadoop.namenode_web).delete(path)


@pytest.fixture
def gateways(hadoop: MiniHadoop, yarn_shared: str, tmp_path: Path) -> Iterator[Callable[[], YarnGateway]]:
    """Makes users' machines, each with a home of its own."""
    made: list[YarnGateway] = []
    numbers = itertools.count()

    def make() -> YarnGateway:
        root = tmp_path / f"gateway-{next(numbers)}"
        made.append(YarnGateway(root, hadoop, yarn_shared, dict(os.environ)))
        return made[-1]

    yield make
    for gateway in made:
        gateway.close()
        gateway.end_applications()


@pytest.fixture
def gateway(gateways: Callable[[], YarnGateway]) -> YarnGateway:
    """One user's machine."""
    return gateways()


@pytest.fixture
def place(hdfs_dir: str) -> Place:
    """A fresh folder on HDFS."""
    return Place(hdfs_dir, FileSystems("file://"))
