"""Values that quoting spoils easily, a user with a dot in the name, and two versions, on a real YARN."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from odd_values import OddValues
from other_version import VERSION, use_other_version
from places import Place
from yarn_gateway import YarnGateway, settled

from xlearning.fs import FileSystems

USER = "first.last"


@pytest.fixture
def home(hadoop: MiniHadoop) -> Iterator[None]:
    """A home folder on HDFS, as an administrator makes it."""
    home = f"{hadoop.hdfs_uri}/user/{USER}"
    fs = FileSystems(hadoop.hdfs_uri).default
    fs.mkdirs(home, mode=0o777)
    yield
    fs.delete(home, recursive=True)


def bases(gateway: YarnGateway, user: str) -> set[str]:
    """Our packages in the user's cache on the cluster."""
    folder = gateway.storage.resolve(f"{gateway.shared}/staging/cache-{user}")
    return {entry.name for entry in gateway.storage.default.list(folder) if entry.name.startswith("base-")}


@pytest.mark.usefixtures("home")
def test_odd_values_arrive(place: Place, gateway: YarnGateway, tmp_path: Path) -> None:
    """Submitted by a user with a dot and a realm in the name, by another version; both are asked for it."""
    here = gateway.program
    use_other_version(gateway, tmp_path / "other")
    gateway.environment["HADOOP_USER_NAME"] = f"{USER}@REALM"
    place.storage.of(place.uri).chmod(place.uri, 0o777)
    odd = OddValues(gateway.work, place.at("out, é"), yarn=True)
    ended = gateway.submit(*odd.words())
    assert ended.code == 0, ended.err
    odd.check(place.read(f"out, é/{odd.local}/raw.json").decode())
    report = gateway.application(ended.app_id)
    assert (report["name"], report["user"]) == (odd.name, USER)
    assert bases(gateway, USER).isdisjoint(bases(gateway, getpass.getuser()))
    settled(gateway, ended.app_id)

    gateway.program = here
    del gateway.environment["PYTHONPATH"]
    status = gateway.verb("status", ended.app_id)
    assert status.code == 0, status.err
    assert USER in status.out
    assert odd.name in gateway.verb("list").out
    assert VERSION not in gateway.verb("--version").out
