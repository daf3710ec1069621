"""Save Model, the parts of it that need no job: ledger, hold, retention, files that change while copied."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import threading
from pathlib import Path

import pytest

from xlearning.am.core.retention import expired
from xlearning.am.retention import prune
from xlearning.config import Config
from xlearning.container.outputs.hold import Hold, variables
from xlearning.container.outputs.ledger import Ledger
from xlearning.container.outputs.save import Order, held
from xlearning.container.outputs.upload import Output
from xlearning.errors import StorageUnavailable
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus, FileSystem
from xlearning.fs.local import LocalFileSystem
from xlearning.fs.retry import Cancelled
from xlearning.fs.transfer import upload

FSS = FileSystems("file://")
NOTIFY = "xlearning.interresult.notify"


def test_what_the_newest_saves_need_is_kept() -> None:
    saves = {"1": (), "2": ("1",), "3": (), "4": ("2",), "5": ("2", "4")}
    assert expired(saves, 1) == ["1", "3"]
    assert expired(saves, 2) == ["1", "3"]
    assert expired(saves, 3) == ["1"]
    assert expired(saves, 9) == [] == expired(saves, 0)


def whole(folder: Path, app: str, needs: str = "[]") -> None:
    folder.mkdir()
    (folder / "_manifest.json").write_text(f'{{"needs": {needs}}}')
    (folder / "_SUCCESS").write_text(app)


def test_only_own_whole_saves_are_deleted(tmp_path: Path) -> None:
    for name, app in (("s1", "mine"), ("s2", "other"), ("s3", "mine"), ("s4", "mine")):
        whole(tmp_path / name, app)
    (tmp_path / "s0").mkdir()
    whole(tmp_path / "s5", "mine", '["3"]')
    gone, problems = prune(FSS, (tmp_path / "s5").as_uri(), "5", "mine", 1, 0)
    assert (gone, problems) == (["1", "4"], [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s0", "s2", "s3", "s5"]


@pytest.mark.parametrize("manifest", ["{", "[]", "7", "{}", '{"needs": 7}', '{"needs": {"1": 2}}'])
def test_a_damaged_manifest_deletes_nothing(tmp_path: Path, manifest: str) -> None:
    whole(tmp_path / "s1", "mine")
    (tmp_path / "s1" / "_manifest.json").write_text(manifest)
    whole(tmp_path / "s2", "mine")
    gone, (problem,) = prune(FSS, (tmp_path / "s2").as_uri(), "2", "mine", 1, 0)
    assert gone == [] and "were left" in problem and (tmp_path / "s1").exists()


def copy(work: Path, ledger: Ledger, target: Path) -> None:
    output = Output("out", target.as_uri())
    upload(FSS, work / "out", output.remote, alive=True, watch=ledger.of(output))


def test_only_what_changed_is_copied_again(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for name in ("a", "b"):
        (tmp_path / "out" / name).write_text("1")
    first = Ledger("s1", tmp_path)
    copy(tmp_path, first, tmp_path / "one")
    known = {key: dataclasses.replace(entry, settled=True) for key, entry in first.entries.items()}
    (tmp_path / "out" / "b").write_text("2")
    (tmp_path / "out" / "b").rename(tmp_path / "out" / "c")
    (tmp_path / "out" / "b").write_text("3")
    second = Ledger("s2", tmp_path, known)
    copy(tmp_path, second, tmp_path / "two")
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["b", "c"]
    assert second.needs() == ["s1"] and len(second.own()) == 2
    (a, b, _) = second.manifest({"out": ""}, "c1", True)["files"]
    assert (a["path"], a["in"], "in" in b) == ("a", "s1", False)


def test_older_saves_are_looked_for_with_patience(tmp_path: Path) -> None:
    """Where nobody answers for a moment, a save of changes alone is not lost."""

    class Away(LocalFileSystem):
        answers = iter([False, True, False, True])

        def stat(self, path: str) -> FileStatus:
            if not next(self.answers):
                raise StorageUnavailable("away")
            return super().stat(path)

    class One(FileSystems):
        def of(self, uri: str) -> FileSystem:  # noqa: ARG002
            return fs

    fs, fss = Away(), One("file://")
    (tmp_path / "s1" / "c1").mkdir(parents=True)
    order = Order("2", [], [("file:///draft", (tmp_path / "s2" / "c1").as_uri())])

    def is_held() -> bool:
        return held(Ledger("1", tmp_path), order, fss, retry_time=60, cancel=threading.Event())

    assert is_held()
    shutil.rmtree(tmp_path / "s1")
    assert not is_held()


def test_a_file_that_was_just_written_is_never_taken_for_unchanged(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("1")
    first = Ledger("s1", tmp_path)
    first.copied(("out", "a"), (tmp_path / "out" / "a").stat(), 1, steady=True)
    (entry,) = first.entries.values()
    assert entry.is_of((tmp_path / "out" / "a").stat()) == entry.settled


def test_a_file_that_grows_while_it_is_copied_is_torn(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "a"
    path.write_bytes(b"x" * (3 << 20))
    ledger = Ledger("s1", tmp_path)

    def grow(files: int, size: int) -> None:
        if size and not files and path.stat().st_size == 3 << 20:
            with path.open("ab") as file:
                file.write(b"y")

    output = Output("out", (tmp_path / "copy").as_uri())
    upload(FSS, tmp_path / "out", output.remote, alive=True, watch=ledger.of(output), on_progress=grow)
    assert ledger.torn() == 1
    assert ledger.manifest({"out": ""}, "c1", None)["files"][0]["changed"] is True
    assert ledger.repeat()
    copy(tmp_path, ledger, tmp_path / "copy")
    assert ledger.torn() == 0 and not ledger.repeat()


@pytest.mark.parametrize(("shorten", "stored"), [(False, (2 << 20) + 5), (True, 1 << 20)])
def test_the_copy_of_a_file_that_always_changes_ends(tmp_path: Path, shorten: bool, stored: int) -> None:
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "a"
    path.write_bytes(b"x" * ((2 << 20) + 5))

    def change(_files: int, size: int) -> None:
        assert size <= 8 << 20, "it would never end"
        if shorten:
            os.truncate(path, 1 << 20)
        else:
            with path.open("ab") as file:
                file.write(b"y" * (1 << 20))

    ledger, output = Ledger("s1", tmp_path), Output("out", (tmp_path / "copy").as_uri())
    upload(FSS, tmp_path / "out", output.remote, alive=True, watch=ledger.of(output), on_progress=change)
    assert (tmp_path / "copy" / "a").stat().st_size == stored
    (about,) = ledger.manifest({"out": ""}, "c1", None)["files"]
    assert (about["size"], about["changed"]) == (stored, True)


def test_a_file_that_has_more_bytes_than_its_size_says_is_not_whole(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").symlink_to("/proc/self/status")
    ledger = Ledger("s1", tmp_path)
    copy(tmp_path, ledger, tmp_path / "copy")
    assert ledger.torn() == 1


def config(**more: str) -> Config:
    return Config.from_properties({NOTIFY: "FILE", **{f"{NOTIFY}.{k}": v for k, v in more.items()}})


def test_a_program_that_is_not_asked_has_no_variables(tmp_path: Path) -> None:
    silent = Config.from_properties({})
    assert variables(tmp_path, silent) == {}
    hold = Hold(tmp_path, "s1", silent, lambda: None)
    assert hold.ask(threading.Event()) is None and not hold.must_confirm
    hold.release()
    assert list(tmp_path.iterdir()) == []


def test_only_an_answer_to_this_save_counts(tmp_path: Path) -> None:
    names = variables(tmp_path, config())
    request, ready = (Path(names[f"XLEARNING_SAVE_{name}"]) for name in ("REQUEST", "READY"))
    ready.parent.mkdir()
    ready.write_text("s1\n")
    hold = Hold(tmp_path, "s2", config(wait="0"), lambda: None)
    assert hold.ask(threading.Event()) is False
    assert request.read_text() == "s2\n"
    Hold(tmp_path, "s1", config(), lambda: None).release()
    assert request.exists(), "it belongs to a newer save"
    ready.write_text("s2")
    assert hold.ask(threading.Event()) is True
    hold.release()
    assert not request.exists()


def test_waiting_for_the_program_can_be_given_up(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        Hold(tmp_path, "s1", config(), lambda: None).ask(stop)


def test_a_signal_goes_once_to_a_program_that_handles_it(tmp_path: Path) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGUSR2, lambda number, _: heard.append(number))
    try:
        settings = Config.from_properties(
            {NOTIFY: "SIGNAL", f"{NOTIFY}.signal": "USR2", f"{NOTIFY}.wait": "200ms"}
        )
        assert Hold(tmp_path, "s1", settings, os.getpid).ask(threading.Event()) is False
        assert heard == [signal.SIGUSR2]
    finally:
        signal.signal(signal.SIGUSR2, before)
