"""From a pipe into parts: lines that arrive in pieces, storage that is away, writers that are wrong."""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO

import pytest
from submitting import wait_for

from xlearning.config import Config
from xlearning.container import blocking
from xlearning.container.outputs import stream
from xlearning.container.outputs.spool import Spool
from xlearning.container.outputs.stream import Sink, Unwritable
from xlearning.container.outputs.upload import Published
from xlearning.container.process import ProcessExit
from xlearning.errors import StorageError, StorageUnavailable
from xlearning.formats import own
from xlearning.fs.base import FileSystem
from xlearning.fs.local import LocalFileSystem
from xlearning.fs.registry import FileSystems
from xlearning.fs.retry import Cancelled
from xlearning.job import SinkSpec

MODULE = """
class Out:
    def __init__(self, config):
        self.loose = config.text("loose")

    def writer(self, parts):
        return Writer(parts, self.loose)

class Writer:
    def __init__(self, parts, loose):
        self.parts, self.loose = parts, loose
        self.file = parts.create(".n")

    def write(self, records):
        self.file.write(b"".join(b"%d:%s;" % (len(record), record) for record in records))

    def close(self):
        if not self.loose:
            self.file.close()
"""


@pytest.fixture(autouse=True)
def _own() -> None:
    own.offer({"mine": MODULE})


class Shaky(LocalFileSystem):
    """A local disk that is away until it is told to come back."""

    def __init__(self) -> None:
        super().__init__()
        self.back, self.tried = threading.Event(), threading.Event()

    def open_write(self, path: str, *, overwrite: bool = False) -> BinaryIO:
        self.tried.set()
        if not self.back.is_set():
            raise StorageUnavailable("away")
        return super().open_write(path, overwrite=overwrite)


class One(FileSystems):
    def __init__(self, fs: FileSystem) -> None:
        super().__init__("file://")
        self._one = fs

    def of(self, uri: str) -> FileSystem:  # noqa: ARG002
        return self._one


Run = Callable[..., tuple[ProcessExit, Callable[[], Published], list[str]]]


@pytest.fixture
def sink_of(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    """What a program that writes ``pieces`` is judged, the way to its end, and whether it was stopped."""

    def run(
        pieces: Sequence[bytes], format_: str = "mine:Out", *, swept: int = 0, **properties: str
    ) -> tuple[ProcessExit, Callable[[], Published], list[str]]:
        stops: list[str] = []

        async def feed() -> tuple[ProcessExit, Sink]:
            config = Config.from_properties(
                {name.replace("_", "."): value for name, value in properties.items()}
            )
            spec = SinkSpec(format_, (tmp_path / "remote").as_uri(), 7)
            with Sink(spec, tmp_path, FileSystems("file://"), config) as sink:
                await blocking.call(sink.open, name="format")
                writing = os.dup(sink.write_end)
                sink.start(lambda: stops.append("stopped"))

            def write() -> None:
                with open(writing, "wb", buffering=0) as pipe:
                    for piece in pieces:
                        pipe.write(piece)

            await asyncio.gather(blocking.call(write, name="program"), return_exceptions=True)
            return await sink.judge(ProcessExit(0, "", swept)), sink

        end, sink = asyncio.run(feed())
        request.addfinalizer(sink.abandon)
        return end, sink.finish, stops

    return run


def test_processes_that_may_have_had_more_to_print_are_told(
    sink_of: Run, caplog: pytest.LogCaptureFixture
) -> None:
    end, finish, _ = sink_of([b"a"], "text", swept=2)
    assert end.code == 0 and finish().files == 1
    assert "2 processes outlived the program by 10 s" in end.reason
    assert end.reason in caplog.text


@pytest.mark.parametrize(
    ("pieces", "stored"),
    [
        ([b"a\nbc\n", b"d"], b"1:a;2:bc;1:d;"),
        ([b"a", b"b", b"c\n\n", b"\rd\r\n"], b"3:abc;0:;3:\rd\r;"),
        ([], b""),
    ],
)
def test_lines_are_put_together(sink_of: Run, tmp_path: Path, pieces: list[bytes], stored: bytes) -> None:
    end, finish, stops = sink_of(pieces)
    assert end.code == 0
    assert not stops
    assert finish() == Published(1, len(stored), ((tmp_path / "remote").as_uri(),))
    assert (tmp_path / "remote" / "part-r-00007.n").read_bytes() == stored
    assert not (tmp_path / ".xl-parts").exists()


def test_a_last_line_gets_its_end(sink_of: Run, tmp_path: Path) -> None:
    _, finish, _ = sink_of([b"a\nb"], "text")
    finish()
    assert (tmp_path / "remote" / "part-r-00007").read_bytes() == b"a\nb\n"


@pytest.mark.parametrize("pieces", [[b"1234567"], [b"1\n1234567\n"]])
def test_a_line_can_be_too_long(sink_of: Run, pieces: list[bytes]) -> None:
    longest = "xlearning_outputformat_line_maxsize"
    end, finish, stops = sink_of(pieces, **{longest: "6"})
    assert end.code == os.EX_IOERR
    assert "/remote/part-r-00007.n: a line of at least 7 bytes is longer than" in end.reason
    assert stops == ["stopped"]
    with pytest.raises(Unwritable, match="a line of at least 7 bytes"):
        finish()


def test_last_words_that_come_between_two_looks_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something that cannot be killed keeps the pipe open, so only the program's end ends the reading."""
    moments: list[Callable[[], object]] = []

    class Poll:
        def __init__(self) -> None:
            self._real = select.poll()
            self.register = self._real.register

        def poll(self, patience: int) -> list[tuple[int, int]]:
            found = self._real.poll(min(patience, 10))
            if not found and moments:
                moments.pop()()
            return found

    monkeypatch.setattr(stream, "select", SimpleNamespace(poll=Poll, POLLIN=select.POLLIN))

    async def run() -> ProcessExit:
        spec = SinkSpec("text", (tmp_path / "remote").as_uri(), 7)
        with Sink(spec, tmp_path, FileSystems("file://"), Config.from_properties({})) as sink:
            await blocking.call(sink.open, name="format")
            writing = os.dup(sink.write_end)
            judging = threading.Event()
            loop = asyncio.get_running_loop()

            def end() -> None:
                os.write(writing, b"last\n")
                loop.call_soon_threadsafe(judging.set)
                wait_for(sink._ended.is_set)

            moments.append(end)
            sink.start(lambda: None)
        await blocking.call(judging.wait, name="end")
        judged = await sink.judge(ProcessExit(0, ""))
        os.close(writing)
        await blocking.call(sink.finish, name="parts")
        return judged

    assert asyncio.run(run()).code == 0
    assert (tmp_path / "remote" / "part-r-00007").read_bytes() == b"last\n"


def test_a_part_that_stays_open_is_not_lost_in_silence(sink_of: Run) -> None:
    end, finish, _ = sink_of([b"a\n"], loose="yes")
    assert end.code == 0
    with pytest.raises(Unwritable, match=r"the output format has not closed part-r-00007\.n"):
        finish()


def spool_of(tmp_path: Path, fs: FileSystem, failures: list[str], retry: str = "60s") -> Spool:
    config = Config.from_properties({"xlearning.fs.retry.time": retry})
    spec = SinkSpec("text", (tmp_path / "remote").as_uri(), 0)
    return Spool(spec, tmp_path / "parts", One(fs), config, lambda: failures.append("failed"))


def fill(spool: Spool, count: int) -> None:
    for number in range(count):
        with spool.create() as part:
            part.write(b"%d" % number)


def test_an_unexpected_error_of_a_file_system_is_told_and_nobody_waits(tmp_path: Path) -> None:
    class Broken(LocalFileSystem):
        def open_write(self, path: str, *, overwrite: bool = False) -> BinaryIO:
            raise RuntimeError("a fault of a library" if overwrite else path)

    failures: list[str] = []
    spool = spool_of(tmp_path, Broken(), failures)
    found: list[BaseException] = []

    def work() -> None:
        try:
            fill(spool, 5)
            spool.finish()
        except RuntimeError as error:
            found.append(error)

    working = threading.Thread(target=work, daemon=True)
    working.start()
    working.join(20)
    assert [str(error) for error in found] == ["a fault of a library"]
    assert failures == ["failed"]
    spool.abandon()


def test_storage_that_is_away_for_a_while_costs_time_only(tmp_path: Path) -> None:
    fs, failures = Shaky(), []  # type: ignore[var-annotated]
    spool = spool_of(tmp_path, fs, failures)
    filling = threading.Thread(target=fill, args=(spool, 5))
    filling.start()
    wait_for(lambda: fs.tried.is_set() and len(list((tmp_path / "parts").iterdir())) == 2)
    assert filling.is_alive()  # two parts wait, and no third one is begun
    fs.back.set()
    filling.join(10)
    result = spool.finish()
    assert result.files == result.bytes == 5
    assert [path.read_bytes() for path in sorted((tmp_path / "remote").iterdir())] == [
        b"%d" % n for n in range(5)
    ]
    assert not failures


def test_a_part_that_others_deleted_is_missed(tmp_path: Path) -> None:
    spool = spool_of(tmp_path, LocalFileSystem(), [])
    fill(spool, 1)
    wait_for(lambda: spool.amount.files == 1)
    shutil.rmtree(tmp_path / "remote")
    fill(spool, 1)
    with pytest.raises(StorageError, match=r"deleted part-r-00000 of 2 parts"):
        spool.finish()


def test_storage_that_stays_away(tmp_path: Path) -> None:
    failures: list[str] = []
    spool = spool_of(tmp_path, Shaky(), failures, retry="0")
    fill(spool, 1)
    wait_for(lambda: failures)
    for call in (spool.create, spool.finish, spool.check):
        with pytest.raises(Exception, match="away"):
            call()
    spool.abandon()
    assert not (tmp_path / "parts").exists()


def test_whoever_leaves_ends_the_waiting(tmp_path: Path) -> None:
    failures: list[str] = []
    fs = Shaky()
    spool = spool_of(tmp_path, fs, failures)
    fill(spool, 2)
    wait_for(fs.tried.is_set)
    ended: list[type] = []

    def one_more() -> None:
        try:
            spool.create()
        except Cancelled as error:
            ended.append(type(error))

    waiting = threading.Thread(target=one_more)
    waiting.start()
    spool.abandon()
    waiting.join(10)
    assert ended == [Cancelled]
    assert not failures
    wait_for(lambda: not [thread for thread in threading.enumerate() if thread.name == "parts"])
