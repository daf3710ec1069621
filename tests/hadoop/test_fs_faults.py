"""Parts of HDFS fail in the middle of transfers: they wait, go on, and lose nothing, or name the file."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from dfsadmin import dfsadmin
from minihadoop import MiniHadoop
from submitting import PATIENCE
from webhdfs import WebHdfs

from xlearning.fs import FileSystems, join, split_uri
from xlearning.fs.transfer import TransferError, TransferResult, download, upload
from xlearning.job import FetchItem

pytestmark = [
    pytest.mark.hadoop,
    # what hdfs-native had begun to write when its DataNode died
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

BLOCK = 1 << 20
SIZE = 24 * BLOCK


@pytest.fixture
def root(hdfs_dir: str) -> str:
    return hdfs_dir.rstrip("/")


@pytest.fixture
def broken(hadoop: MiniHadoop) -> Iterator[MiniHadoop]:
    """The cluster, whose HDFS is whole again afterwards whatever happens."""
    yield hadoop
    dfsadmin(hadoop, "-safemode", "leave")
    hadoop.start("hdfs")


class Transfers:
    """A download and an upload that are under way, each in its own thread."""

    def __init__(self, root: str, folder: Path, web: WebHdfs) -> None:
        self.root, self.folder = root, folder
        self.there, self.sent = os.urandom(SIZE), os.urandom(SIZE)
        web.write(f"{split_uri(root)[2]}/there", self.there, blocksize=BLOCK)
        (folder / "out").mkdir()
        (folder / "out" / "sent").write_bytes(self.sent)
        self.go = threading.Event()
        self._half = [threading.Event(), threading.Event()]
        self._pool = ThreadPoolExecutor(2)
        item = FetchItem(join(root, "there"), "there", SIZE)
        self._futures: list[Future[TransferResult]] = [
            self._pool.submit(
                download, FileSystems(root), [item], folder / "in", on_progress=self._waits(self._half[0])
            ),
            self._pool.submit(
                upload,
                FileSystems(root),
                folder / "out",
                join(root, "up"),
                on_progress=self._waits(self._half[1]),
            ),
        ]

    def _waits(self, half: threading.Event) -> Callable[[int, int], None]:
        """Stops a transfer in its middle until `go`."""

        def on_progress(_: int, size: int) -> None:
            if size > SIZE // 2 and not half.is_set():
                half.set()
                assert self.go.wait(PATIENCE)

        return on_progress

    def wait_for_the_middle(self) -> None:
        assert all(half.wait(PATIENCE) for half in self._half)

    def end(self) -> None:
        self.go.set()
        self._pool.shutdown()

    def are_whole(self, web: WebHdfs) -> None:
        self.go.set()
        for future in self._futures:
            assert future.result(PATIENCE).files == 1
        assert (self.folder / "in" / "there").read_bytes() == self.there
        assert web.read(f"{split_uri(self.root)[2]}/up/sent") == self.sent


@pytest.fixture
def transfers(root: str, tmp_path: Path, hadoop: MiniHadoop) -> Iterator[Transfers]:
    under_way = Transfers(root, tmp_path, WebHdfs(hadoop.namenode_web))
    yield under_way
    under_way.end()


def test_the_data_node_dies_and_comes_back(broken: MiniHadoop, transfers: Transfers) -> None:
    transfers.wait_for_the_middle()
    broken.stop("datanode", kill=True)
    transfers.go.set()
    broken.start("datanode")
    transfers.are_whole(WebHdfs(broken.namenode_web))


def test_the_name_node_is_in_safe_mode_for_a_while(broken: MiniHadoop, transfers: Transfers) -> None:
    transfers.wait_for_the_middle()
    assert "ON" in dfsadmin(broken, "-safemode", "enter")
    transfers.go.set()
    # the transfers meet it while the tool for leaving it starts its JVM, which takes a second or two
    assert "OFF" in dfsadmin(broken, "-safemode", "leave")
    transfers.are_whole(WebHdfs(broken.namenode_web))


def test_a_quota_that_is_used_up_names_the_file_and_is_not_waited_for(
    hadoop: MiniHadoop, root: str, tmp_path: Path
) -> None:
    web, path = WebHdfs(hadoop.namenode_web), split_uri(root)[2]
    web.mkdirs(f"{path}/few")
    web.set_quota(f"{path}/few", names=4)
    for name in "abcdef":
        (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "out" / name).write_bytes(b"x")
    with pytest.raises(TransferError, match=r"quota") as caught:
        upload(FileSystems(root), tmp_path / "out", join(root, "few"), threads=1)
    assert caught.value.errno == errno.EDQUOT
    assert any(name in caught.value.message for name in "abcdef")
    web.mkdirs(f"{path}/little")
    web.set_quota(f"{path}/little", space=BLOCK)
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "file").write_bytes(b"x" * (3 * BLOCK))
    with pytest.raises(TransferError, match=r"file: .*quota") as caught:
        upload(FileSystems(root), tmp_path / "big", join(root, "little"))
    assert caught.value.errno == errno.EDQUOT
    assert web.list(f"{path}/little").keys() == set()


def test_a_folder_of_others_names_the_file(hadoop: MiniHadoop, root: str, tmp_path: Path) -> None:
    web, path = WebHdfs(hadoop.namenode_web), split_uri(root)[2]
    web.mkdirs(f"{path}/theirs")
    web.chown(f"{path}/theirs", "somebody")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "file").write_bytes(b"x")
    user = {**hadoop.env(dict(os.environ)), "HADOOP_USER_NAME": "stranger"}
    code = (
        "import sys, pathlib\n"
        "from xlearning.fs import FileSystems\n"
        "from xlearning.fs.transfer import upload\n"
        "upload(FileSystems(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, root, str(tmp_path / "out"), join(root, "theirs")],
        env=user,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    assert "file: Permission denied: user=stranger, access=WRITE" in done.stderr
