"""Feeding a pipe: epochs, orders, the cache of the first one, and what a program is told."""

from __future__ import annotations

import errno
import json
import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import pytest

from xlearning.config import Config
from xlearning.container.inputs import cache, manifest
from xlearning.container.inputs.stream import Feeder, Unreadable
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


@pytest.mark.parametrize("first", ["end", "pipe"])
def test_input_left_unread_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture, first: str) -> None:
    feeder = Feeder(stream(tmp_path), FileSystems("file://"), Config.from_properties({}), tmp_path)
    with feeder:
        pass  # nobody reads any more
    if first == "end":  # is known before the broken pipe is seen
        feeder.ended()
        assert "read no more after 0 B of 419 KiB" in caplog.text
    feeder.cancel()
    feeder.run()
    feeder.ended()
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_input_read_to_its_end_is_not_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _, feeder = fed(stream(tmp_path), tmp_path)
    feeder.cancel()
    feeder.ended()
    assert not caplog.records


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
