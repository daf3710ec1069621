"""What the local back end and the history do on a real HDFS."""

from __future__ import annotations

import threading
import time
import zipfile
from pathlib import Path

import pytest
from job_samples import OWN_APP

from xlearning.cluster.local_containers import LocalContainerManager
from xlearning.cluster.localize import LocalizationError, Localizer
from xlearning.fs import FileSystems, join
from xlearning.history.reader import HistoryReader
from xlearning.history.store import HistoryWriter
from xlearning.job import JobSpec, LocalResource, ResourceKind, RoleSpec


def put(uri: str, content: bytes) -> str:
    with FileSystems().of(uri).open_write(uri) as file:
        file.write(content)
    return uri


def archive(folder: Path) -> bytes:
    with zipfile.ZipFile(folder / "a.zip", "w") as made:
        made.writestr("inner/x", "x")
    return (folder / "a.zip").read_bytes()


@pytest.fixture
def resources(hdfs_dir: str, tmp_path: Path) -> tuple[LocalResource, ...]:
    put(join(hdfs_dir, "tree", "a"), b"a")
    put(join(hdfs_dir, "tree", "deep", "b c=%é"), b"b")
    path = "/" + put(join(hdfs_dir, "data"), b"data").split("://", 1)[1].partition("/")[2]
    return (
        LocalResource("alias", path),
        LocalResource("folder", join(hdfs_dir, "tree")),
        LocalResource("lib", put(join(hdfs_dir, "a.zip"), archive(tmp_path)), ResourceKind.ARCHIVE),
    )


def test_resources_come_once_and_are_linked(
    hdfs_dir: str, resources: tuple[LocalResource, ...], tmp_path: Path
) -> None:
    localizer = Localizer(tmp_path / "cache", resources, hdfs_dir)
    assert not localizer.quick
    localizer.prepare()
    assert localizer.quick
    for name in ("one", "two"):
        work = tmp_path / name
        work.mkdir()
        localizer.link(work)
        assert (work / "alias").read_text() == "data"
        assert (work / "folder" / "deep" / "b c=%é").read_text() == "b"
        assert (work / "lib" / "inner" / "x").read_text() == "x"
    assert (tmp_path / "one" / "alias").readlink() == (tmp_path / "two" / "alias").readlink()


def test_what_is_missing_is_named(hdfs_dir: str, tmp_path: Path) -> None:
    missing = join(hdfs_dir, "nowhere")
    localizer = Localizer(tmp_path / "cache", [LocalResource("x", missing)], hdfs_dir)
    with pytest.raises(LocalizationError, match="nowhere"):
        localizer.prepare()


def test_containers_wait_for_their_files(
    hdfs_dir: str, resources: tuple[LocalResource, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "apps" / OWN_APP
    role = RoleSpec("worker", 1, 0, 1)
    job = JobSpec(OWN_APP, "n", "t", "u", (), (role,), "file:///s", hdfs_dir, resources=resources)
    command = ["/bin/sh", "-c", "cat alias folder/a lib/inner/x"]
    manager = LocalContainerManager(folder, job, agent=command, environ={"PATH": "/bin:/usr/bin"})
    manager.request(role, 2)
    ended = []
    deadline = time.monotonic() + 60
    pause = threading.Event()
    while len(ended) < 2:
        assert time.monotonic() < deadline
        ended += manager.poll().completed
        pause.wait(0.02)
    assert [c.exit_code for c in ended] == [0, 0]
    assert [manager.read_log(c.id, "agent.out", 0, 100).text for c in ended] == ["dataax"] * 2


def test_history_is_readable_while_it_is_written(hdfs_dir: str) -> None:
    folder = join(hdfs_dir, "history", OWN_APP)
    history = HistoryWriter(FileSystems(), folder)
    reader = HistoryReader(FileSystems())
    for number in range(3):
        history.record("n", {"number": number}, float(number))
        assert history.flush(60)
        assert [r.data["number"] for r in reader.read(folder)[1]] == list(range(number + 1))
    history.close(60)
    fs = FileSystems().of(folder)
    assert fs.stat(folder).mode & 0o777 == 0o700
    assert {status.mode & 0o777 for status in fs.list(folder)} == {0o600}
