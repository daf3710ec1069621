"""The commit under fire: a crash between any two calls to the file system, and two attempts at once."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from crashing import APP, Crash, CrashingStorage, OvertakenStorage
from places import Place

from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.fs.commit import Committer, Fenced, OutputTaken
from xlearning.fs.intent import upload_folder
from xlearning.fs.local import LocalFileSystem
from xlearning.fs.steps import OutputLost, rename_once
from xlearning.job import OutputSpec

# A process that dies closes nothing.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

T = TypeVar("T")
CONTAINERS = ("container_1_0001_01_000002", "container_1_0001_01_000003")


class Application:
    """Outputs, staging and uploads of one application."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.outputs = (OutputSpec(place.at("out1"), "model"), OutputSpec(place.at("out2"), "log"))
        self.staging = place.at(f"staging/{APP}")
        place.storage.of(place.uri).mkdirs(self.staging)

    def committer(self, storage: FileSystems | None = None) -> Committer:
        return Committer(storage or self.place.storage, APP, self.staging, self.outputs, retry_time=2.0)

    def upload(self, attempt: int, containers: tuple[str, ...] = CONTAINERS) -> None:
        def write(container: str, output: OutputSpec) -> None:
            folder = upload_folder(output.remote, APP, attempt, container)
            name = join(folder, "data").removeprefix(self.place.uri + "/")
            self.place.write(name, f"{attempt} {container}".encode())

        with ThreadPoolExecutor(4) as threads:
            pairs = list(itertools.product(containers, self.outputs))
            list(threads.map(lambda pair: write(*pair), pairs))

    def whole(self, attempt: int) -> dict[str, bytes]:
        return {
            f"{output}/{container}/data": f"{attempt} {container}".encode()
            for output in ("out1", "out2")
            for container in CONTAINERS
        }

    def visible(self) -> dict[str, bytes]:
        return {
            f"{output}/{name}": self.place.read(f"{output}/{name}")
            for output in ("out1", "out2")
            for name in self.place.tree(output)
            if not name.startswith("_")
        }

    def success(self) -> list[bool]:
        return [self.place.exists(f"{output}/_SUCCESS") for output in ("out1", "out2")]

    def is_committed(self, attempt: int) -> None:
        assert self.visible() == self.whole(attempt)
        assert self.success() == [True, True]
        assert not self.place.exists("out1/_temporary")
        assert not self.place.exists("out2/_temporary")


def calls_of_a_commit(place: Place) -> int:
    app = Application(Place(place.at("count"), place.storage))
    storage = CrashingStorage()
    committer = app.committer(storage)
    assert committer.take_over(1) is None
    app.upload(1)
    committer.commit(1, CONTAINERS, flat=False)
    app.is_committed(1)
    return storage.count


def each(cases: list[T], check: Callable[[T], bool]) -> list[bool]:
    """``check`` of every case, side by side: on HDFS completing a file alone takes half a second."""
    with ThreadPoolExecutor(24) as threads:
        return list(threads.map(check, cases))


def crash(place: Place, number: int, after: bool) -> Application:
    """An application whose first attempt died at one call of its commit."""
    app = Application(Place(place.at(f"crash-{number}-{after}"), place.storage))
    app.upload(1)
    committer = app.committer(CrashingStorage(number, after))
    with pytest.raises(Crash):
        committer.take_over(1)
        committer.commit(1, CONTAINERS, flat=False)
    return app


def test_a_crash_anywhere_is_completed_or_cleaned_by_the_next_attempt(place: Place) -> None:
    def check(case: tuple[int, bool]) -> bool:
        app = crash(place, *case)
        if any(app.success()):
            assert app.visible() == app.whole(1), f"_SUCCESS beside a half after {case}"
        second = app.committer()
        found = second.take_over(2)
        if found is not None:
            assert found.attempt == 1
            app.is_committed(1)
            return True
        assert app.visible() == {}
        assert app.success() == [False, False]
        app.upload(2)
        second.commit(2, CONTAINERS, flat=False)
        app.is_committed(2)
        return False

    cases = list(itertools.product(range(1, calls_of_a_commit(place) + 1), (False, True)))
    assert set(each(cases, check)) == {True, False}


def test_a_crash_anywhere_is_settled_by_whoever_cleans_up(place: Place) -> None:
    def check(number: int) -> bool:
        app = crash(place, number, after=True)
        settled = app.committer().settle()
        if settled:
            app.is_committed(1)
        else:
            assert app.place.tree("out1") == app.place.tree("out2") == {}
            assert not app.place.exists("out1")
        return settled

    cases = list(range(1, calls_of_a_commit(place) + 1, 3))
    assert set(each(cases, check)) == {True, False}


def test_a_master_that_outlives_its_end_is_too_late_or_just_in_time(tmp_path: Path) -> None:
    """YARN says that it has ended, the client settles, and at any of its calls it wakes up."""
    place = Place(tmp_path.as_uri(), FileSystems("file://"))

    def check(number: int) -> bool:
        app = Application(Place(place.at(f"late-{number}"), place.storage))
        settled: list[bool] = []

        def client() -> None:
            settled.append(app.committer().settle())
            place.storage.of(place.uri).delete(app.staging, recursive=True)

        committer = app.committer(OvertakenStorage(client, number))
        app.upload(1)
        with contextlib.suppress(Fenced, OutputLost, FileNotFoundError):
            committer.take_over(1)
            committer.commit(1, CONTAINERS, flat=False)
        if settled == [True]:
            app.is_committed(1)
        else:
            assert settled == [False]
            assert app.visible() == {}
            assert app.success() == [False, False]
        return settled[0]

    first = 1 + calls_to_take_over(place)
    cases = list(range(first, calls_of_a_commit(place) + 1))
    assert set(each(cases, check)) == {True, False}


def calls_to_take_over(place: Place) -> int:
    storage = CrashingStorage()
    Application(Place(place.at("first"), place.storage)).committer(storage).take_over(1)
    return storage.count


def test_an_attempt_that_was_replaced_cannot_commit(place: Place) -> None:
    app = Application(place)
    old, new = app.committer(), app.committer()
    old.take_over(1)
    app.upload(1)
    assert new.take_over(2) is None
    app.upload(1)
    with pytest.raises(Fenced):
        old.commit(1, CONTAINERS, flat=False)
    assert app.visible() == {}
    assert (old.replaced(), new.replaced(), app.committer().replaced()) == (True, False, False)
    again = app.committer()
    with pytest.raises(Fenced):
        again.take_over(1)
    assert again.replaced()
    app.upload(2)
    new.commit(2, CONTAINERS, flat=False)
    app.is_committed(2)


def test_a_commit_that_began_first_is_finished_by_the_newer_attempt(place: Place) -> None:
    app = Application(place)
    app.upload(1)
    old = app.committer()
    old.take_over(1)
    old.commit(1, CONTAINERS, flat=False)
    found = app.committer().take_over(2)
    assert found is not None
    assert (found.attempt, found.failure) == (1, "")
    app.is_committed(1)


def test_only_whole_containers_become_visible(place: Place) -> None:
    app = Application(place)
    app.committer().take_over(1)
    app.upload(1)
    app.committer().commit(1, CONTAINERS[:1], flat=False)
    assert {name.split("/")[1] for name in app.visible()} == {CONTAINERS[0]}


def test_temporary_output_of_others_is_left_alone(place: Place) -> None:
    app = Application(place)
    app.upload(1)
    place.write("out1/_temporary/application_2_0001_000001/c/data", b"other")
    app.committer().discard()
    assert place.tree("out1") == {"_temporary/application_2_0001_000001/c/data": 5}
    assert not place.exists("out2")


@pytest.mark.parametrize("flat", [True, False])
def test_an_upload_that_others_deleted_is_no_success(place: Place, flat: bool) -> None:
    """As another program does that commits to the same folder: MapReduce deletes all of ``_temporary``."""
    app = Application(place)
    app.committer().take_over(1)
    containers = CONTAINERS[:1] if flat else CONTAINERS
    app.upload(1, containers)
    uploads = [upload_folder(output.remote, APP, 1, name) for output in app.outputs for name in containers]
    stored = [join(upload, "data") for upload in uploads] if flat else uploads
    place.storage.of(place.uri).delete(uploads[-1], recursive=True)
    with pytest.raises(OutputLost, match=f"has deleted what was uploaded: {stored[-1]}$"):
        app.committer().commit(1, containers, flat=flat, stored=stored)
    assert not app.committer().begun()
    assert app.visible() == {}
    app.committer().commit(1, containers, flat=flat, stored=stored[:-1])
    assert app.success() == [True, True]


def test_output_that_vanished_is_no_success(tmp_path: Path) -> None:
    place = Place(tmp_path.as_uri(), FileSystems("file://"))
    app = Application(place)
    app.upload(1)
    # Dies after the intent was written: the count is found by looking for the first rename.
    for number in range(1, calls_of_a_commit(place)):
        app = Application(Place(place.at(f"gone-{number}"), place.storage))
        app.upload(1)
        committer = app.committer(CrashingStorage(number, after=True))
        with pytest.raises(Crash):
            committer.take_over(1)
            committer.commit(1, CONTAINERS, flat=False)
        if app.committer().begun():
            break
    place.storage.of(place.uri).delete(app.outputs[0].remote, recursive=True)
    with pytest.raises(Exception, match="output was lost"):
        app.committer().take_over(2)
    assert app.success()[0] is False


def test_what_was_committed_is_not_touched_again(tmp_path: Path) -> None:
    """Its ApplicationMaster died just then; before anybody settles, others write to the same places."""
    place = Place(tmp_path.as_uri(), FileSystems("file://"))
    app = Application(place)
    app.committer().take_over(1)
    app.upload(1)
    app.committer().commit(1, CONTAINERS, flat=False)
    for output in app.outputs:
        place.storage.of(place.uri).delete(output.remote, recursive=True)
    place.write(f"out1/{CONTAINERS[0]}/half", b"other")
    assert app.committer().settle()
    assert place.tree("out1") == {f"{CONTAINERS[0]}/half": 5}
    assert not place.exists("out2")


def test_of_two_applications_that_claim_an_output_the_second_is_refused(place: Place) -> None:
    app = Application(place)
    app.committer().take_over(1)
    app.committer().claim(1)
    app.committer().claim(1)
    staging = place.at("staging/other")
    place.storage.of(place.uri).mkdirs(staging)
    other = Committer(place.storage, "application_1_0002", staging, app.outputs, retry_time=2.0)
    with pytest.raises(OutputTaken, match=r"out1/_temporary/application_1_0001_000001"):
        other.claim(1)
    other.settle()
    app.upload(1)
    app.committer().commit(1, CONTAINERS, flat=False)
    assert set(place.children("out1")) == {*CONTAINERS, "_SUCCESS"}
    with pytest.raises(OutputTaken, match=r"out1/_SUCCESS"):
        other.claim(1)


def test_two_that_complete_one_commit_do_not_disturb_each_other(tmp_path: Path) -> None:
    """A newer attempt and one that was thought dead carry out the same intent."""
    fs, other = LocalFileSystem(), LocalFileSystem()
    source, target = (tmp_path / "a").as_uri(), (tmp_path / "b").as_uri()

    class Slower(LocalFileSystem):
        def rename(self, source: str, target: str) -> None:
            if other.stat(source):
                other.rename(source, target)
            super().rename(source, target)

    fs.mkdirs(source)
    rename_once(Slower(), source, target)
    assert not (tmp_path / "a").exists() and (tmp_path / "b").is_dir()
    with pytest.raises(OutputLost):
        rename_once(fs, source, (tmp_path / "c").as_uri())
    with pytest.raises(FileNotFoundError):
        rename_once(fs, target, (tmp_path / "missing" / "c").as_uri())
