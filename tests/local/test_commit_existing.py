"""Commits into outputs that are not empty, and of jobs that failed, with a crash between any two calls."""

from __future__ import annotations

import contextlib
import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest
from crashing import APP, Crash, CrashingStorage, OvertakenStorage
from places import Place

from xlearning.fs import FileSystems
from xlearning.fs.commit import Committer, Fenced, OutputTaken
from xlearning.fs.intent import upload_folder
from xlearning.fs.steps import OutputLost
from xlearning.job import OutputSpec

# A process that dies closes nothing.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

OLD = {
    "_SUCCESS": b"",
    "model/weights": b"old",
    "model/only-old": b"old",
    "model/deep/a": b"old",
    "model/kind": b"old",
    "other": b"old",
}
NEW = {"model/weights": b"new", "model/deep/b": b"new", "model/kind/x": b"new", "fresh": b"new"}
RESULT = {
    "OVERWRITE": NEW,
    "MERGE": {**{name: OLD[name] for name in ("model/only-old", "model/deep/a", "other")}, **NEW},
}
CONTAINER = "container_1_0001_01_000002"


class Job:
    """One application that writes to an output which holds something."""

    def __init__(self, place: Place, mode: str) -> None:
        self.place, self.mode = place, mode
        self.output = OutputSpec(place.at("out"), "model")
        self.staging = place.at(f"staging/{APP}")
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda item: place.write(f"out/{item[0]}", item[1]), OLD.items()))
        place.storage.of(place.uri).mkdirs(self.staging)

    def committer(self, storage: FileSystems | None = None) -> Committer:
        place = storage or self.place.storage
        return Committer(place, APP, self.staging, [self.output], retry_time=2.0, existing=self.mode)

    def begin(self) -> None:
        """What happens before the commit; the job also saves something on its way."""
        committer = self.committer()
        committer.take_over(1)
        committer.claim(1)
        self.place.write("out/interResult_1/part", b"saved")
        folder = upload_folder(self.output.remote, APP, 1, CONTAINER).removeprefix(self.place.uri + "/")
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda item: self.place.write(f"{folder}/{item[0]}", item[1]), NEW.items()))

    def commit(self, storage: FileSystems | None = None, failure: str = "") -> None:
        self.committer(storage).commit(1, [CONTAINER], flat=True, failure=failure)

    def is_committed(self, *, whole: bool = True) -> None:
        names = [name for name in self.place.tree("out") if name != "_SUCCESS"]
        expected = {**RESULT[self.mode], "interResult_1/part": b"saved"}
        assert {name: self.place.read(f"out/{name}") for name in names} == expected
        assert self.place.exists("out/_SUCCESS") is whole
        assert not self.place.exists("out/_temporary")


def calls(place: Place, mode: str) -> int:
    job = Job(Place(place.at("count"), place.storage), mode)
    job.begin()
    storage = CrashingStorage()
    job.commit(storage)
    job.is_committed()
    return storage.count


@pytest.mark.parametrize("mode", sorted(RESULT))
def test_a_crash_anywhere_leaves_the_old_or_can_be_completed(
    tmp_path_factory: pytest.TempPathFactory, mode: str
) -> None:
    place = Place(tmp_path_factory.mktemp("commit").as_uri(), FileSystems("file://"))
    completed = set()
    for number, after in itertools.product(range(1, calls(place, mode) + 1), (False, True)):
        job = Job(Place(place.at(f"{number}-{after}"), place.storage), mode)
        job.begin()
        with pytest.raises(Crash):
            job.commit(CrashingStorage(number, after))
        if job.place.exists("out/_SUCCESS"):
            tree = {
                name for name in job.place.tree("out") if not name.startswith(("_temporary", "interResult"))
            }
            assert tree in (set(OLD), {*RESULT[mode], "_SUCCESS"}), f"_SUCCESS beside a mixture, {number}"
        found = job.committer().take_over(2)
        if found is not None:
            job.is_committed()
        else:
            assert {name: job.place.read(f"out/{name}") for name in OLD} == OLD
        completed.add(found is not None)
    assert completed == {True, False}


@pytest.mark.parametrize("mode", sorted(RESULT))
def test_two_that_commit_at_once_take_nothing_new_away(
    tmp_path_factory: pytest.TempPathFactory, mode: str
) -> None:
    """One stands still at any of its calls, a newer attempt completes the commit, and it goes on."""
    place = Place(tmp_path_factory.mktemp("commit").as_uri(), FileSystems("file://"))
    completed = set()
    for number in range(1, calls(place, mode) + 1):
        job = Job(Place(place.at(str(number)), place.storage), mode)
        job.begin()
        newer = job.committer()
        found: list[object] = []

        def take_over(newer: Committer = newer, found: list[object] = found) -> None:
            found.append(newer.take_over(2))

        with contextlib.suppress(Fenced, OutputLost, FileNotFoundError):
            job.commit(OvertakenStorage(take_over, number))
        if found != [None]:
            job.is_committed()
        else:
            assert {name: job.place.read(f"out/{name}") for name in OLD} == OLD
        completed.add(found != [None])
    assert completed == {True, False}


@pytest.mark.parametrize("mode", sorted(RESULT))
def test_the_output_of_a_failed_job_is_never_marked_as_whole(place: Place, mode: str) -> None:
    job = Job(place, mode)
    job.begin()
    job.commit(failure="worker:0 exited with code 3")
    job.is_committed(whole=False)
    found = job.committer().take_over(2)
    assert found is not None
    assert found.failure == "worker:0 exited with code 3"
    job.is_committed(whole=False)
    assert job.committer().settle() is False


def test_what_others_write_meanwhile_is_not_replaced(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = Place(tmp_path_factory.mktemp("commit").as_uri(), FileSystems("file://"))
    job = Job(place, "OVERWRITE")
    job.begin()
    place.write("out/late", b"other")
    job.commit()
    assert place.read("out/late") == b"other"


def test_an_output_that_somebody_writes_to_is_refused_in_every_mode(place: Place) -> None:
    job = Job(place, "MERGE")
    place.write("out/_temporary/application_2_0001_000001/c/data", b"other")
    committer = job.committer()
    committer.take_over(1)
    with pytest.raises(OutputTaken):
        committer.claim(1)
