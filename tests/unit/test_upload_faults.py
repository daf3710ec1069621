"""One file system call fails, each in its turn, on the way to a submission: nothing stays behind."""

from __future__ import annotations

import getpass
import io
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from xlearning.client.api.job import Job
from xlearning.client.api.order import request_of
from xlearning.client.back_ends.this_machine import OnThisMachine
from xlearning.client.console import PlainConsole
from xlearning.client.planning.plan import Plan, Setting, make_plan
from xlearning.client.planning.resources import Shipped
from xlearning.client.scan import Scan, scan
from xlearning.client.stage import stage
from xlearning.client.uploading import users_files
from xlearning.client.uploading.cache import Cache
from xlearning.client.uploading.hashes import Hashes
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config
from xlearning.errors import ApplicationNotFound, ClusterError, StorageError, XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import FileSystem
from xlearning.job import LocalResource

_CALLS = frozenset(
    ("stat", "list", "open_read", "open_write", "mkdirs", "rename", "replace", "delete", "chmod")
)


class Faulty(FileSystems):
    """Local files; the call with number ``fatal`` fails, before or (``after``) when it has done its work."""

    def __init__(self, fatal: int, error: BaseException, *, after: bool) -> None:
        super().__init__("file://")
        self.calls: list[str] = []
        self._fatal, self._error, self._after = fatal, error, after
        self._lock = threading.Lock()

    def of(self, uri: str) -> FileSystem:
        return _Proxy(super().of(uri), self)  # type: ignore[return-value]

    def count(self, name: str, call: Callable[[], Any]) -> Any:
        with self._lock:
            self.calls.append(name)
            struck = len(self.calls) - 1 == self._fatal
        if struck and not self._after:
            raise self._error
        answer = call()
        if struck:
            if hasattr(answer, "close"):
                answer.close()
            raise self._error
        return answer


class _Proxy:
    def __init__(self, fs: FileSystem, owner: Faulty) -> None:
        self._fs, self._owner = fs, owner

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._fs, name)
        if name not in _CALLS:
            return method
        return lambda *args, **named: self._owner.count(name, lambda: method(*args, **named))


def every_step(run: Callable[[Faulty], object], left: Callable[[], object], error: BaseException) -> int:
    """Let each call of ``run`` fail in its turn; the number of calls."""
    number = 0
    while True:
        for after in (False, True):
            fss = Faulty(number, error, after=after)
            try:
                run(fss)
            except (XLearningError, OSError, KeyboardInterrupt):
                assert not left(), (number, after, fss.calls[: number + 1], left())
        if number >= len(fss.calls):
            return number
        number += 1


def unknown(app_id: str) -> ApplicationReport:
    raise ApplicationNotFound(app_id)


def planned(line: Scan, config: Config) -> Plan:
    setting = Setting("me", 1.0, "file://", unknown)
    return make_plan(request_of(Job.of_line(line)), config, FileSystems("file://"), setting)


@pytest.fixture
def staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[FileSystems, str], object]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("a")
    line = scan(["--files", "a.py", "./a.py"])
    plan = planned(line, Config.from_properties({}))
    pair = (b"certificate", b"key")

    def run(fss: FileSystems, app_id: str) -> object:
        root = f"file://{tmp_path}/staging"
        return stage(plan, fss, app_id=app_id, staging_root=root, now=1.0, pair=pair)

    return run


@pytest.mark.parametrize("error", [StorageError("struck"), PermissionError("struck"), KeyboardInterrupt()])
def test_staging(staged: Callable[[FileSystems, str], object], tmp_path: Path, error: BaseException) -> None:
    apps = iter(range(10_000))
    folder = tmp_path / "staging"

    def run(fss: FileSystems) -> object:
        name = f"application_1_{next(apps)}"
        try:
            return staged(fss, name)
        finally:
            done = folder / name / "job.json"
            if done.exists():
                done.unlink()
                for path in sorted(folder.rglob("*"), reverse=True):
                    path.rmdir() if path.is_dir() else path.unlink()

    def left() -> list[str]:
        return [str(path) for path in folder.rglob("*")]

    assert every_step(run, left, error) > 10


@pytest.mark.parametrize("error", [StorageError("struck"), PermissionError("struck")])
def test_the_cache(tmp_path: Path, error: BaseException) -> None:
    """What was uploaded whole may stay, and is found again; drafts and empty folders may not."""
    items = []
    for number in range(3):
        path = tmp_path / f"big{number}"
        path.write_bytes(b"%d" % number * 5000)
        uri = path.as_uri()
        status = FileSystems("file://").of(uri).stat(uri)
        items.append(Shipped(LocalResource(path.name, uri), status, upload=True))
    roots = (tmp_path / f"root{number}" for number in range(10_000))
    used: list[Path] = []

    def run(fss: FileSystems) -> object:
        used.append(next(roots))
        cache = Cache(fss, used[-1].as_uri(), getpass.getuser(), time.time(), retry_time=0)
        hashes = Hashes(tmp_path / "memory", time.time() + 60)
        return users_files.upload(items, cache, hashes, PlainConsole(io.StringIO()), smallest=1000)

    def left() -> list[str]:
        found = []
        for folder in used[-1].glob("cache-*/*"):
            names = [path.name for path in folder.iterdir()]
            if "content" not in names or any(name.startswith("draft-") for name in names):
                found.append(f"{folder.name}: {names}")
        return found

    assert every_step(run, left, error) > 20


def test_a_job_of_this_machine_that_cannot_be_staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in-the-way").write_text("")
    config = Config.from_properties(
        {
            "xlearning.local.dir": str(tmp_path / "local"),
            "xlearning.staging.dir": f"file://{tmp_path}/in-the-way/staging",
        }
    )
    fss = FileSystems("file://")
    plan = planned(scan(["--local", "true"]), config)
    back_end = OnThisMachine(config, "me")
    with pytest.raises(ClusterError, match="in-the-way/staging cannot be written") as caught:
        back_end.start(plan, config, fss, 1.0, lambda: None)
    assert caught.value.hint == "set xlearning.staging.dir to a folder that you may write"
    assert list((tmp_path / "local" / "apps").iterdir()) == []
