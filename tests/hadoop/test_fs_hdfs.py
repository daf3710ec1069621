"""The file system contract on a real HDFS, and what is peculiar to it."""

from __future__ import annotations

import pytest
from contract_fs import FileSystemContract

from xlearning.fs import FileSystem
from xlearning.fs.native import HdfsFileSystem

pytestmark = pytest.mark.hadoop


@pytest.fixture
def root(hdfs_dir: str) -> str:
    return hdfs_dir.rstrip("/")


@pytest.fixture
def fs(root: str) -> FileSystem:
    return HdfsFileSystem(root)


class TestHdfs(FileSystemContract):
    """The contract."""
