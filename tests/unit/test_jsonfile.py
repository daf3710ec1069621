"""JSON that somebody else may have written: reading it ends soon, and with one kind of error."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from xlearning import jsonfile
from xlearning.cluster.ended import Ended
from xlearning.errors import StorageError
from xlearning.fs import FileSystems
from xlearning.fs.base import FileSystem
from xlearning.job import AppState, JobSpec

BAD = [b"", b"{", b"[" * 100_000, b'{"a":' * 100_000, b"[" * 200 + b"]" * 200, b"\xff\xfe{", b"1" * 100_000]
NO_RECORD = [b"null", b"[]", b'"text"', b"7", b"{}", b'{"state": "GONE", "reason": "", "attempt": 1}']
WRONG = [
    b'{"state": "KILLED", "reason": null, "attempt": 1}',
    b'{"state": "KILLED", "reason": "", "attempt": "1"}',
    b'{"state": [], "reason": "", "attempt": 1}',
]


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_what_is_no_json(text: bytes) -> None:
    with pytest.raises(ValueError):
        jsonfile.parse(text)


@pytest.mark.parametrize("text", [*BAD, *NO_RECORD, *WRONG])
def test_what_is_no_record(text: bytes) -> None:
    with pytest.raises(ValueError):
        jsonfile.record(Ended, text)


def test_a_record_of_other_types_is_none() -> None:
    head = (
        '{"app_id": "a", "app_name": "n", "app_type": "T", "user": "u", "roles": [], "default_fs": "file://"'
    )
    for rest in ('"command": "rm", "staging": "s"', '"command": [], "staging": null', '"command": {}'):
        with pytest.raises(ValueError):
            jsonfile.record(JobSpec, f"{head}, {rest}}}")
    with pytest.raises(ValueError, match="too large"):
        jsonfile.record(JobSpec, f'{head}, "command": [], "staging": "s", "submitted": {"9" * 400}}}')
    assert jsonfile.record(JobSpec, f'{head}, "command": [], "staging": "s"}}').staging == "s"


def through_fs(path: Path) -> object:
    return jsonfile.read(fs(), path.as_uri())


def fs() -> FileSystem:
    return FileSystems("file://").default


@pytest.mark.parametrize("read", [through_fs, jsonfile.read_local])
def test_what_is_no_small_file(read: Callable[[Path], object], tmp_path: Path) -> None:
    folder, large, pipe, good = (tmp_path / name for name in ("folder", "large", "pipe", "good"))
    folder.mkdir()
    with open(large, "wb") as file:
        file.truncate(10 * jsonfile.LIMIT)
    os.mkfifo(pipe)
    good.write_text("[1]")
    with pytest.raises(OSError):
        read(folder)
    with pytest.raises(ValueError, match=r"large has more than 16777216 bytes"):
        read(large)
    with pytest.raises(StorageError):
        read(pipe)
    with pytest.raises(StorageError):
        read(Path("/dev/zero"))
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nothing")
    assert read(good) == [1]


def test_a_pipe_that_took_the_place_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("xlearning.fs.local._refuse_special", lambda *_: None)
    with pytest.raises(StorageError, match="pipe is not a file"):
        fs().open_read((tmp_path / "pipe").as_uri())


def test_a_record(tmp_path: Path) -> None:
    (tmp_path / "ended.json").write_text('{"state": "KILLED", "reason": "r", "attempt": 2, "newer": {}}')
    path = (tmp_path / "ended.json").as_uri()
    assert jsonfile.read_record(fs(), path, Ended) == Ended(AppState.KILLED, "r", 2)
