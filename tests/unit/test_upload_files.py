"""The user's large files on their way to the cluster: read once, sent once, told in a line."""

from __future__ import annotations

import getpass
import io
import os
import re
import time
from pathlib import Path

import pytest

from xlearning.client.console import PlainConsole, TerminalConsole
from xlearning.client.planning.resources import Shipped
from xlearning.client.uploading import users_files
from xlearning.client.uploading.cache import Cache
from xlearning.client.uploading.hashes import Hashes
from xlearning.fs import FileSystems
from xlearning.fs.parallel import TransferError
from xlearning.job import LocalResource, ResourceKind

FSS = FileSystems("file://")
LARGE = 1000


def later() -> float:
    """A time at which the files of a test are no longer young."""
    return time.time() + 60


def shipped(path: Path, name: str, kind: ResourceKind = ResourceKind.FILE) -> Shipped:
    uri = path.as_uri()
    return Shipped(LocalResource(name, uri, kind), FSS.of(uri).stat(uri), upload=True)


class Gateway:
    """Uploads with a memory below ``root``."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.said = io.StringIO()

    def upload(self, *items: Shipped) -> tuple[LocalResource, ...]:
        now = later()
        cache = Cache(FSS, (self._root / "staging").as_uri(), getpass.getuser(), now, retry_time=0)
        hashes = Hashes(self._root / "memory", now)
        return users_files.upload(items, cache, hashes, PlainConsole(self.said), smallest=LARGE)

    def folders(self) -> list[str]:
        return sorted(path.name for path in (self._root / "staging").glob("cache-*/*"))

    def last(self) -> str:
        return self.said.getvalue().splitlines()[-1]


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    return Gateway(tmp_path)


def content(resource: LocalResource) -> bytes:
    return Path(resource.uri.removeprefix("file://")).read_bytes()


def test_once_and_never_again(gateway: Gateway, tmp_path: Path) -> None:
    for name, size in (("model.TAR.GZ", 5000), ("copy", 5000), ("other.bin", 2000), ("small", 10)):
        (tmp_path / name).write_bytes(name[-1:].encode() * size if size != 5000 else b"x" * size)
    items = (
        shipped(tmp_path / "model.TAR.GZ", "m", ResourceKind.ARCHIVE),
        shipped(tmp_path / "copy", "c1"),
        shipped(tmp_path / "copy", "c2"),
        shipped(tmp_path / "other.bin", "other.bin"),
        shipped(tmp_path / "small", "small"),
    )
    first = gateway.upload(*items)
    assert [resource.name for resource in first] == ["m", "c1", "c2", "other.bin", "small"]
    assert [resource.kept for resource in first] == [True, True, True, True, False]
    assert first[0].uri.endswith("/content.tar.gz") and first[0].kind is ResourceKind.ARCHIVE
    assert first[1].uri == first[2].uri and first[1].uri.endswith("/content")
    assert first[4] == items[4].resource
    assert [len(content(resource)) for resource in first] == [5000, 5000, 5000, 2000, 10]
    assert "Uploading 3 files, 11.7 KiB" in gateway.said.getvalue()
    assert re.search(r"Uploaded 3 files, 11\.7 KiB in \S+$", gateway.last())
    assert gateway.upload(*items) == first
    assert gateway.last().endswith("3 files, 11.7 KiB, were there already")
    (tmp_path / "other.bin").write_bytes(b"new" * 1000)
    gateway.upload(items[0], shipped(tmp_path / "other.bin", "other.bin"))
    assert re.search(
        r"Uploaded 1 file, 2\.9 KiB in \S+; 1 file, 4\.9 KiB, was there already$", gateway.last()
    )


def test_a_known_file_is_not_even_read_and_a_wrong_memory_does_no_harm(
    gateway: Gateway, tmp_path: Path
) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"x" * 5000)
    gateway.upload(shipped(big, "big"))
    memory = tmp_path / "memory" / "hashes.json"
    memory.write_text(re.sub(r'"[0-9a-f]{64}"', f'"{"f" * 64}"', memory.read_text()))
    with pytest.raises(TransferError, match="was changed while it was uploaded"):
        gateway.upload(shipped(big, "big"))
    big.chmod(0o600)  # changes the inode, so that it is read
    gateway.upload(shipped(big, "big"))
    assert gateway.last().endswith("1 file, 4.9 KiB, was there already")


def test_no_memory_or_a_damaged_one_costs_only_time(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"x" * 5000)
    for text in ("", "[]", '{"a": 1}', '{"a": [1]}', "\0"):
        (tmp_path / "hashes.json").write_text(text)
        hashes = Hashes(tmp_path, later())
        assert len(hashes.of(big)) == 64
        hashes.save()
    blocked = Hashes(big / "no-folder", later())
    assert blocked.of(big) == Hashes(tmp_path, later()).of(big)
    blocked.save()


def test_hashes_follow_the_content(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"x" * 5000)
    before = big.stat()
    hashes = Hashes(tmp_path / "memory", later())
    first = hashes.of(big)
    hashes.save()
    big.write_bytes(b"y" * 5000)
    os.utime(big, ns=(before.st_atime_ns, before.st_mtime_ns))  # same size and time, same inode
    assert Hashes(tmp_path / "memory", later()).of(big) != first
    big.write_bytes(b"x" * 5000)
    assert Hashes(tmp_path / "memory", later()).of(big) == first


def test_what_was_just_written_is_read_again(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"x" * 5000)
    hashes = Hashes(tmp_path / "memory", time.time())
    hashes.of(big)
    hashes.save()
    assert not (tmp_path / "memory").exists()


def test_nothing_stays_of_a_failed_upload(
    gateway: Gateway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = []
    for number in range(9):
        path = tmp_path / f"big{number}"
        path.write_bytes(b"%d" % number * 5000)
        items.append(shipped(path, path.name))
    put = Cache.put
    monkeypatch.setattr(
        Cache,
        "put",
        lambda self, entry, source, *rest: put(self, entry, tmp_path / "no" / source.name, *rest),
    )
    with pytest.raises(TransferError, match=r"of 9 files could not be uploaded: .*No such file"):
        gateway.upload(*items)
    assert gateway.folders() == []


def test_a_bar_on_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    console = TerminalConsole(stream)
    with console.meter(2, 2 << 20) as meter:
        meter.advance(1 << 20)
        meter.done()
        meter.advance(1 << 20)
        meter.done()
    shown = stream.getvalue()
    assert "Uploading 2 of 2 files" in shown and "2.0/2.0 MiB" in shown
