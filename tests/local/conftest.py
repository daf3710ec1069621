"""Fixtures of the end-to-end tests: a gateway, and a place for data on local disks or on HDFS."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import Place
from submitting import Gateway

from xlearning.fs import FileSystems


@pytest.fixture(params=["local", pytest.param("hdfs", marks=pytest.mark.hadoop)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A fresh folder for inputs and outputs; every test that uses it runs on both kinds."""
    if request.param == "local":
        folder = tmp_path / "place"
        folder.mkdir()
        return Place(folder.as_uri(), FileSystems("file://"))
    return Place(request.getfixturevalue("hdfs_dir"), FileSystems("file://"))


@pytest.fixture
def gateway(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Gateway]:
    """A user's machine; with data on HDFS it has the cluster's configuration."""
    environ = dict(os.environ)
    environ.pop("HADOOP_CONF_DIR", None)
    if "place" in request.fixturenames and request.node.callspec.params.get("place") == "hdfs":
        environ = request.getfixturevalue("hadoop").env(environ)
    gateway = Gateway(tmp_path / "gateway", environ)
    yield gateway
    gateway.close()
