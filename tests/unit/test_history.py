"""The history of a job: what is written can be read back, and never harms the job."""

from __future__ import annotations

import logging
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from xlearning.fs import FileSystems
from xlearning.history.reader import HistoryReader
from xlearning.history.records import DROPPED, HistoryRecord, from_lines, to_line
from xlearning.history.store import SEGMENT_BYTES, HistoryWriter
from xlearning.job import (
    AppState,
    BoardView,
    ContainerState,
    ContainerView,
    InputStrategy,
    RoleSpec,
    Snapshot,
)

APP = "application_1700000000000_0001"
CONTAINER = "container_1700000000000_0001_01_000002"


def snapshot(version: int, state: AppState = AppState.RUNNING) -> Snapshot:
    container = ContainerView(CONTAINER, "worker", 0, 1, "h", ContainerState.RUNNING, last_lines=("ä", "b"))
    return Snapshot(
        app_id=APP,
        app_name="n",
        app_type="GENERIC",
        user="u",
        attempt=1,
        state=state,
        phase="RUN",
        reason="",
        version=version,
        submitted=1.0,
        started=2.0,
        finished=None,
        progress=0.5,
        command=("python", "train.py"),
        roles=(RoleSpec("worker", 1, 512, 1),),
        containers=(container,),
        inputs=(),
        input_strategy=InputStrategy.DOWNLOAD,
        outputs=(),
        board=BoardView(False),
    )


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return f"file://{tmp_path}/history/{APP}"


@pytest.fixture
def writer(folder: str) -> Iterator[HistoryWriter]:
    history = HistoryWriter(FileSystems(), folder)
    yield history
    history.close()


def segments(folder: str) -> list[Path]:
    return sorted(Path(folder.removeprefix("file://")).glob("events-*.jsonl"))


def test_records_and_snapshot_come_back(writer: HistoryWriter, folder: str) -> None:
    for number in range(5):
        writer.record("container", {"id": f"c{number}", "state": ContainerState.RUNNING}, 10.0 + number)
    writer.snapshot(snapshot(1))
    writer.snapshot(snapshot(2))
    assert writer.flush()
    found, records = HistoryReader(FileSystems()).read(folder)
    assert found == snapshot(2)
    assert [r.time for r in records] == [10.0, 11.0, 12.0, 13.0, 14.0]
    assert records[3] == HistoryRecord(13.0, "container", {"id": "c3", "state": "RUNNING"})


def test_a_flush_extends_the_same_segment(writer: HistoryWriter, folder: str) -> None:
    for number in range(4):
        writer.record("n", {"number": number}, 0.0)
        writer.flush()
    assert len(segments(folder)) == 1
    assert [r.data["number"] for r in HistoryReader(FileSystems()).read(folder)[1]] == [0, 1, 2, 3]


def test_a_full_segment_is_followed_by_another(writer: HistoryWriter, folder: str) -> None:
    for number in range(3):
        writer.record("n", {"number": number, "text": "x" * SEGMENT_BYTES}, 0.0)
        writer.flush()
    assert len(segments(folder)) == 3
    assert [r.data["number"] for r in HistoryReader(FileSystems()).read(folder)[1]] == [0, 1, 2]


def test_an_attempt_adds_to_what_an_earlier_one_wrote(folder: str) -> None:
    for attempt in (1, 2):
        history = HistoryWriter(FileSystems(), folder)
        history.record("attempt", {"number": attempt}, float(attempt))
        history.snapshot(snapshot(attempt))
        history.close()
    found, records = HistoryReader(FileSystems()).read(folder)
    assert found == snapshot(2)
    assert [r.data["number"] for r in records] == [1, 2]


def test_only_the_owner_may_read(writer: HistoryWriter, folder: str) -> None:
    writer.record("n", {}, 0.0)
    writer.snapshot(snapshot(1))
    writer.flush()
    place = Path(folder.removeprefix("file://"))
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(f.stat().st_mode) for f in place.iterdir()} == {0o600}
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o1777


def test_a_torn_line_is_passed_over(writer: HistoryWriter, folder: str) -> None:
    writer.record("n", {"number": 1}, 1.0)
    writer.record("n", {"number": 2}, 2.0)
    writer.flush()
    content = segments(folder)[0].read_bytes()
    for end in range(len(content)):
        found = [r.data["number"] for r in from_lines(content[:end])]
        assert found == [1, 2][: len(found)]
        assert len(found) >= content[:end].count(b"\n")


def test_text_of_any_kind_survives() -> None:
    record = HistoryRecord(
        1.5, "n", {"path": "/a b=%é", "line": "a\u2028b\nc", "odd": "\udce9", "none": None}
    )
    (back,) = from_lines(to_line(record))
    assert back.data["path"] == "/a b=%é"
    assert back.data["line"] == "a\u2028b\nc"
    assert back.data["none"] is None


def test_the_length_is_bounded_and_says_so(folder: str) -> None:
    history = HistoryWriter(FileSystems(), folder, total_bytes=10_000)
    for number in range(1000):
        history.record("n", {"number": number}, 0.0)
    history.close()
    assert sum(f.stat().st_size for f in segments(folder)) < 11_000
    records = HistoryReader(FileSystems()).read(folder)[1]
    assert records[-1].kind == DROPPED
    assert records[-1].data["records"] == 1000 - (len(records) - 1)


def test_trouble_is_logged_once_and_harms_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        history = HistoryWriter(FileSystems(), f"file://{tmp_path}/file/{APP}")
        for number in range(3):
            history.record("n", {"number": number}, 0.0)
            history.snapshot(snapshot(number))
            assert history.flush()
        history.close()
    assert len(caplog.records) == 1
    assert str(tmp_path) in caplog.text


def test_what_could_not_be_written_is_written_later(tmp_path: Path) -> None:
    obstacle = tmp_path / "history"
    obstacle.write_text("in the way")
    folder = f"file://{obstacle}/{APP}"
    history = HistoryWriter(FileSystems(), folder)
    history.record("n", {"number": 1}, 1.0)
    history.snapshot(snapshot(1))
    assert history.flush()
    obstacle.unlink()
    history.record("n", {"number": 2}, 2.0)
    history.close()
    found, records = HistoryReader(FileSystems()).read(folder)
    assert found == snapshot(1)
    assert [r.data["number"] for r in records] == [1, 2]


def test_a_hanging_file_system_does_not_hold_the_job(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    systems = FileSystems()
    local = systems.of("file:///")
    free = threading.Event()
    original = local.open_write

    def hang(path: str, *, overwrite: bool = False) -> BinaryIO:
        free.wait(60)
        return original(path, overwrite=overwrite)

    monkeypatch.setattr(local, "open_write", hang)
    with caplog.at_level(logging.WARNING):
        history = HistoryWriter(systems, f"file://{tmp_path}/history/{APP}")
        history.record("n", {}, 0.0)
        assert not history.flush(timeout=0.05)
        history.close(timeout=0.05)
    assert "not written within" in caplog.text
    free.set()
    history.close()


def test_reading_while_somebody_writes(writer: HistoryWriter, folder: str) -> None:
    writer.record("n", {"number": 0}, 0.0)
    writer.snapshot(snapshot(0))
    writer.flush()
    seen: list[Any] = []

    def read() -> None:
        reader = HistoryReader(FileSystems())
        for _ in range(30):
            found, records = reader.read(folder)
            assert found is not None
            assert [r.data["number"] for r in records] == list(range(len(records)))
            seen.append(len(records))

    thread = threading.Thread(target=read)
    thread.start()
    for number in range(1, 30):
        writer.record("n", {"number": number}, 0.0)
        writer.snapshot(snapshot(number))
        writer.flush()
    thread.join()
    assert len(seen) == 30
    assert seen == sorted(seen)


def test_no_history_is_an_error_and_no_snapshot_is_none(tmp_path: Path) -> None:
    reader = HistoryReader(FileSystems())
    with pytest.raises(FileNotFoundError):
        reader.read(f"file://{tmp_path}/nowhere")
    (tmp_path / "empty").mkdir()
    assert reader.read(f"file://{tmp_path}/empty") == (None, [])
