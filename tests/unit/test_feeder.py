"""Feeding a pipe: epochs, orders, the cache of the first one, and what a program is told."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import pytest
from submitting import wait_for

from xlearning.config import Config
from xlearning.container import blocking
from xlearning.container.inputs import cache, manifest
from xlearning.container.inputs import stream as inputs
from xlearning.container.inputs.stream import Feed, Feeder, Unreadable
from xlearning.container.process import ProcessExit
from xlearning.formats.deal import epoch_order
from xlearning.formats.source import Source
from xlearning.fs import FileSystems
from xlearning.fs.local import LocalFileSystem
from xlearning.job import InputSplit, StreamSpec

LINES = [b"line %d\n" % n for n in range(40_000)]
BYTES = b"".join(LINES)
CUT = 50_000
CACHED = {"xlearning.inputformat.cache": "true"}


def stream(folder: Path, *, epochs: int = 1, seed: int | None = None) -> StreamSpec:
    path = folder / "in"
    path.write_bytes(BYTES)
    size = len(BYTES)
    splits = [InputSplit(path.as_uri(), at, min(CUT, size - at), size) for at in range(0, size, CUT)]
    return StreamSpec("text", tuple(splits), epochs, ("in",), (0,) * len(splits), seed)


def fed(spec: StreamSpec, folder: Path, *, with_: Mapping[str, str] | None = None) -> tuple[bytes, Feeder]:
    """What a program reads. ``with_``: properties."""
    feeder = Feeder(spec, FileSystems("file://"), Config.from_properties(with_ or {}), folder)
    found: list[bytes] = []

    def read(end: int) -> None:
        while data := os.read(end, 1 << 20):
            found.append(data)
        os.close(end)

    with feeder:
        reader = threading.Thread(target=read, args=(os.dup(feeder.read_end),))
        reader.start()
    try:
        feeder.run()
    except BaseException:
        feeder.close()
        raise
    finally:
        reader.join(20)
    return b"".join(found), feeder


@pytest.mark.parametrize("prefetch", ["0", "100k", "16m"])
@pytest.mark.parametrize("properties", [{}, CACHED])
def test_epochs_in_order(tmp_path: Path, prefetch: str, properties: dict[str, str]) -> None:
    data, feeder = fed(
        stream(tmp_path, epochs=3), tmp_path, with_={**properties, "xlearning.input.prefetch": prefetch}
    )
    assert data == BYTES * 3
    assert feeder.share == 1.0
    assert list(tmp_path.iterdir()) == [tmp_path / "in"]


@pytest.mark.parametrize("properties", [{}, CACHED])
def test_another_order_in_every_epoch(tmp_path: Path, properties: dict[str, str]) -> None:
    spec = stream(tmp_path, epochs=2, seed=3)
    once = [fed(StreamSpec("text", (split,)), tmp_path)[0] for split in spec.splits]
    data, _ = fed(spec, tmp_path, with_=properties)
    orders = [epoch_order(len(once), 3, epoch) for epoch in (0, 1)]
    assert data == b"".join(once[number] for order in orders for number in order)
    assert orders[0] != orders[1]


@pytest.mark.parametrize(("properties", "reads"), [({}, 2), (CACHED, 1)])
def test_later_epochs_come_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, properties: dict[str, str], reads: int
) -> None:
    opened: list[str] = []
    plain = LocalFileSystem.open_read

    def counted(self: LocalFileSystem, path: str) -> BinaryIO:
        opened.append(path)
        return plain(self, path)

    monkeypatch.setattr(LocalFileSystem, "open_read", counted)
    spec = stream(tmp_path, epochs=2)
    data, _ = fed(spec, tmp_path, with_=properties)
    assert data == BYTES * 2
    assert len(opened) == reads * len(spec.splits)
    assert not (tmp_path / "inputformatCache").exists()


def test_a_cache_that_gets_too_large_is_given_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    properties = {**CACHED, "xlearning.inputformat.cachesize.limit": "0"}
    assert fed(stream(tmp_path, epochs=2), tmp_path, with_=properties)[0] == BYTES * 2
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "the input is larger than 0 MB" in caplog.text


def test_a_file_of_the_users_is_no_cache(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "precious").write_text("gold")
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    properties = {**CACHED, "xlearning.inputformat.cachefile.name": "link"}
    assert fed(stream(tmp_path, epochs=2), tmp_path, with_=properties)[0] == BYTES * 2
    assert (tmp_path / "precious").read_text() == "gold"
    assert f"link: {os.strerror(errno.EEXIST)}" in caplog.text


def test_a_full_disk_costs_the_cache_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.open

    def full(path: Path, flags: int, mode: int = 0o777) -> int:
        return really("/dev/full", os.O_RDWR) if Path(path).name == "full" else really(path, flags, mode)

    spec = stream(tmp_path, epochs=3)
    monkeypatch.setattr(cache.os, "open", full)
    properties = {**CACHED, "xlearning.inputformat.cachefile.name": "full"}
    assert fed(spec, tmp_path, with_=properties)[0] == BYTES * 3
    assert caplog.text.count(os.strerror(errno.ENOSPC)) == 1


def test_without_sendfile_the_cache_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise OSError(errno.EINVAL, "no sendfile here")

    monkeypatch.setattr(cache.os, "sendfile", refused)
    assert fed(stream(tmp_path, epochs=2), tmp_path, with_=CACHED)[0] == BYTES * 2


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    spec = stream(tmp_path)
    (tmp_path / "in").unlink()
    with pytest.raises(Unreadable) as caught:
        fed(spec, tmp_path)
    assert f"{spec.splits[0].uri} at byte " in caught.value.message


@pytest.mark.parametrize("error", [MemoryError(), RecursionError("too deep")])
@pytest.mark.parametrize("prefetch", ["0", "16m"])
def test_whatever_a_reader_stumbles_over_is_told_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, prefetch: str
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(Source, "read", fails)
    spec = stream(tmp_path)
    with pytest.raises(Unreadable) as caught:
        fed(spec, tmp_path, with_={"xlearning.input.prefetch": prefetch})
    said = str(error) or type(error).__name__
    assert caught.value.message.startswith(f"{spec.splits[0].uri} at byte ")
    assert said in caught.value.message


class Slow:
    """Storage that has given ``data`` and tells that this was all only when it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

        def pieces(feeder: Feeder, number: int) -> Iterator[bytes]:  # noqa: ARG001
            yield data
            self.asked.set()
            self.go.wait(60)

        monkeypatch.setattr(Feeder, "_pieces", pieces)


def judged(
    spec: StreamSpec,
    folder: Path,
    read: int,
    *,
    slow: Slow | None = None,
    then: Callable[[], None] = lambda: None,
) -> ProcessExit:
    """The end of a program that reads so many bytes and leaves with code 0, as it is judged.

    ``slow``: it leaves when that stands still. ``then``: what happens once the judgement has begun.
    """

    async def run() -> ProcessExit:
        with Feeder(spec, FileSystems("file://"), Config.from_properties({}), folder) as feeder:
            pipe = os.dup(feeder.read_end)
        feed = Feed(feeder, lambda: None)

        def program() -> None:
            left = read
            while left:
                left -= len(os.read(pipe, left))
            if slow is not None:
                slow.asked.wait(60)
            os.close(pipe)

        await blocking.call(program, name="program")
        asyncio.get_running_loop().call_soon(then)
        return await feed.judge(ProcessExit(0, ""))

    try:
        return asyncio.run(run())
    finally:
        if slow is not None:
            slow.go.set()
        wait_for(lambda: not [one for one in threading.enumerate() if one.name == "stdin"])


def one_split(folder: Path, length: int) -> StreamSpec:
    split = InputSplit((folder / "in").as_uri(), 0, length, length)
    return StreamSpec("text", (split,), 1, ("in",), (0,))


def test_input_left_unread_is_told_before_the_end_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        assert judged(stream(tmp_path), tmp_path, 10).code == 0
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert "read no more after" in caplog.text
        caplog.clear()


@pytest.mark.parametrize("patience", [0.0, 60.0])
def test_who_reads_all_and_does_not_wait_for_the_end_has_left_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    monkeypatch.setattr(inputs, "_LAST_LOOK", patience)
    slow = Slow(monkeypatch, b"a\n")
    then = slow.go.set if patience else lambda: None
    assert judged(one_split(tmp_path, 2), tmp_path, 2, slow=slow, then=then) == ProcessExit(0, "")
    assert not caplog.records


def test_storage_that_hangs_does_not_keep_unread_input_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "_LAST_LOOK", 0.01)
    slow = Slow(monkeypatch, b"a\n")
    assert judged(one_split(tmp_path, 10), tmp_path, 0, slow=slow).code == 0
    assert [record.getMessage() for record in caplog.records] == [
        "the program read no more after 2 B of 10 B"
    ]


def test_input_found_unreadable_before_the_end_fails_whoever_is_quicker(tmp_path: Path) -> None:
    spec = stream(tmp_path)
    (tmp_path / "in").unlink()

    async def run() -> ProcessExit:
        found = threading.Event()
        with Feeder(spec, FileSystems("file://"), Config.from_properties({}), tmp_path) as feeder:
            work = feeder.run

        def run() -> None:
            try:
                work()
            finally:
                found.set()

        feeder.run = run  # type: ignore[method-assign]
        feed = Feed(feeder, lambda: None)
        await asyncio.sleep(0)
        found.wait(20)  # the loop stands still, so it has not heard of it
        return await feed.judge(ProcessExit(0, ""))

    end = asyncio.run(run())
    assert end.code == os.EX_IOERR
    assert end.reason.startswith("its input could not be read: ")


def test_input_that_cannot_be_read_after_the_end_is_only_unread(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    feeder = Feeder(stream(tmp_path), FileSystems("file://"), Config.from_properties({}), tmp_path)
    with feeder:
        pass
    (tmp_path / "in").unlink()
    feeder.ended()
    feeder.run()
    assert "read no more after 0 B of 419 KiB" in caplog.text


def test_what_a_program_is_told(tmp_path: Path) -> None:
    spec = stream(tmp_path, epochs=2, seed=4)
    told = manifest.variables(spec, tmp_path)
    assert told == {
        "XLEARNING_INPUT_SPLITS_FILE": str(tmp_path / manifest.FILE),
        "XLEARNING_INPUT_EPOCHS": "2",
        "mapreduce_map_input_file": spec.splits[0].uri,
        "map_input_file": spec.splits[0].uri,
    }
    listed = json.loads(manifest.text(spec))
    assert (listed["format"], listed["epochs"], listed["seed"]) == ("text", 2, 4)
    assert listed["splits"][1] == {"uri": spec.splits[1].uri, "start": CUT, "length": CUT, "input": "in"}
    alone = manifest.variables(StreamSpec("text", spec.splits[1:2]), tmp_path)
    assert alone["mapreduce_map_input_start"] == alone["map_input_length"] == str(CUT)
    two = InputSplit("file:///b", 0, 5, 5)
    joined = InputSplit("file:///a", 0, 9, 4, parts=(InputSplit("file:///a", 0, 4, 4), two))
    for splits in ((), (joined,), (spec.splits[0], two)):
        assert len(manifest.variables(StreamSpec("text", splits), tmp_path)) == 2
    (told_parts,) = json.loads(manifest.text(StreamSpec("text", (joined,))))["splits"]
    assert told_parts["parts"][1] == {"uri": "file:///b", "start": 0, "length": 5}
    assert told_parts["input"] is None
