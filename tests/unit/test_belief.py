"""What lies under the name of a job is believed only where it is of the job's user."""

from __future__ import annotations

import getpass
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from job_samples import APP, container, container_id, snapshot

from xlearning.am.__main__ import await_job
from xlearning.client.console import PlainConsole
from xlearning.client.following.again import spec_of
from xlearning.client.session import find_am
from xlearning.client.sweep import staged_job, sweep_dead
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.describe import description
from xlearning.client.verbs.ended import ended_jobs
from xlearning.client.verbs.listing import Known, Wish
from xlearning.client.verbs.places import LocalPlace, Place
from xlearning.client.verbs.reach import Unreachable, connect
from xlearning.client.verbs.standing import standing
from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.config import Config
from xlearning.errors import ApplicationNotFound
from xlearning.fs import FileStatus, FileSystem, FileSystems
from xlearning.fs.local import LocalFileSystem
from xlearning.fs.owners import NotBelieved, belongs
from xlearning.history.reader import HistoryReader
from xlearning.history.store import HistoryWriter
from xlearning.job import AppState, BoardView, ContainerState, JobSpec, OutputSpec, Snapshot, to_dict

ME, EVIL = getpass.getuser(), "evil"


class Owned(LocalFileSystem):
    """A disk on which everything belongs to one other account."""

    def __init__(self, owner: str) -> None:
        self._name = owner

    def stat(self, path: str) -> FileStatus:
        return replace(super().stat(path), owner=self._name)

    def list(self, path: str) -> list[FileStatus]:
        return [replace(one, owner=self._name) for one in super().list(path)]


class Disks(FileSystems):
    """Every file system is `Owned`."""

    def __init__(self, owner: str) -> None:
        super().__init__("file://")
        self._disk = Owned(owner)

    def of(self, path: str) -> FileSystem:  # noqa: ARG002
        return self._disk


def write(folder: Path, name: str, record: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(to_dict(record)))


def spec(folder: Path, **more: Any) -> JobSpec:
    values: dict[str, Any] = {"staging": folder.as_uri(), "user": ME, **more}
    return JobSpec(APP, "n", "T", command=("evil",), roles=(), default_fs="file://", **values)


def recorded(root: Path, **more: Any) -> Snapshot:
    """A history that is well made."""
    seen = container(0, ContainerState.SUCCEEDED, id=container_id(2))
    made = snapshot(seen, state=AppState.SUCCEEDED, command=("evil",), user=ME, **more)
    write(root / "history" / APP, "job.json", made)
    write(root / "history" / APP, "spec.json", spec(root))
    return made


def place(root: Path, owner: str) -> LocalPlace:
    made = LocalPlace(Config.from_properties({"xlearning.local.dir": str(root)}), ME)
    made.fss = Disks(owner)
    return made


def found(root: Path, owner: str, state: AppState = AppState.SUCCEEDED) -> Found:
    at = place(root, owner)
    at.folder = lambda app_id: ""  # type: ignore[method-assign]  # noqa: ARG005
    at.staging = lambda app_id: f"{root.as_uri()}/staging/{app_id}"  # type: ignore[method-assign]
    return Found(ApplicationReport(APP, "n", ME, state), cast(Place, at))


def test_whose_a_folder_is() -> None:
    local, hdfs = FileStatus("file:///x", 0, True, 0.0, ME), FileStatus("hdfs://h/x", 0, True, 0.0, ME)
    assert belongs(local, ME) and belongs(hdfs, ME)
    assert belongs(local, "any-name-of-a-job"), "on local disks the account of this process is the user"
    assert not belongs(hdfs, "another"), "on HDFS the name decides"
    assert not belongs(replace(local, owner=EVIL), ME)


def test_the_history_of_somebody_else(tmp_path: Path) -> None:
    recorded(tmp_path)
    assert standing(found(tmp_path, ME)).snapshot is not None
    forged = found(tmp_path, EVIL)
    stands, told = standing(forged), description(forged, 1.0)
    folder = (tmp_path / "history" / APP).as_uri()
    note = f"the history in {folder} is not believed: it belongs to evil, not to {ME}"
    assert (stands.snapshot, stands.notes) == (None, (note,))
    assert (told.command, told.properties) == ((), {})
    assert note in told.notes


def test_a_record_of_another_job_or_with_containers_of_one(tmp_path: Path) -> None:
    foreign = container(0, ContainerState.SUCCEEDED, id="container_1_0001_01_000002")
    folder, reader = tmp_path / "history" / APP, HistoryReader(FileSystems("file://"))
    write(folder, "job.json", snapshot(foreign))
    with pytest.raises(NotBelieved, match=f"container_1_0001_01_000002 is no container of {APP}"):
        reader.believed(folder.as_uri(), APP, ME)
    write(folder, "job.json", snapshot(app_id="application_1_0001"))
    with pytest.raises(NotBelieved, match="it is about application_1_0001"):
        reader.believed(folder.as_uri(), APP, ME)
    after_restart = container_id(2).replace("container_", "container_e17_")
    write(folder, "job.json", snapshot(container(0, ContainerState.SUCCEEDED, id=after_restart)))
    assert reader.believed(folder.as_uri(), APP, ME).containers[0].id == after_restart


def test_of_a_job_that_is_forgotten_the_owner_of_the_folder_is_the_user(tmp_path: Path) -> None:
    recorded(tmp_path)
    at = place(tmp_path, EVIL)
    (one,) = ended_jobs(Known([], [cast(Place, at)], []), Wish(states=[AppState.SUCCEEDED])).entries
    assert one.found.report.user == EVIL, "whatever the record says"


def test_addresses_that_no_browser_may_open(tmp_path: Path) -> None:
    recorded(tmp_path, page_url="file:///etc/passwd", board=BoardView(True, "javascript:alert(1)"))
    stands = standing(found(tmp_path, ME))
    assert stands.snapshot is not None
    assert (stands.snapshot.page_url, stands.snapshot.board.url) == ("", "")
    assert [note.partition(" is not shown")[0] for note in stands.notes] == [
        "the address of its page",
        "the address of its TensorBoard",
    ]


def test_a_staging_folder_of_somebody_else(tmp_path: Path) -> None:
    folder = tmp_path / "staging" / APP
    write(folder, "job.json", spec(folder))
    write(folder, "am-1.json", {"address": "evil:1", "attempt": 1})
    uri = folder.as_uri()
    assert staged_job(uri, Disks(ME), ME) is not None
    assert staged_job(uri, Disks(EVIL), ME) is None
    with pytest.raises(NotBelieved, match=f"what is staged in {uri} is not believed: it belongs to evil"):
        find_am(Disks(EVIL), uri, ME)
    with pytest.raises(Unreachable, match="it belongs to evil"):
        connect(found(tmp_path, EVIL, AppState.RUNNING))
    assert spec_of(found(tmp_path, EVIL, AppState.RUNNING)).command == ()
    with pytest.raises(NotBelieved, match="it belongs to evil, not to"):
        await_job(Disks(EVIL), uri, 1, 30.0, ME)
    assert await_job(Disks(ME), uri, 1, 30.0, ME).command == ("evil",)


def test_a_job_that_is_staged_in_the_folder_of_another(tmp_path: Path) -> None:
    folder = tmp_path / "application_1_0001"
    write(folder, "job.json", spec(folder))
    assert staged_job(folder.as_uri(), Disks(ME), ME) is None


def test_nothing_is_done_in_the_users_name_for_what_others_have_staged(tmp_path: Path) -> None:
    folder, output = tmp_path / "staging" / APP, tmp_path / "mine"
    (output / "_temporary" / APP).mkdir(parents=True)
    write(folder, "job.json", spec(folder, outputs=(OutputSpec(output.as_uri(), "o"),)))

    class Cluster:
        def report(self, app_id: str) -> ApplicationReport:
            raise ApplicationNotFound(app_id)

    console = PlainConsole(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    sweep_dead((tmp_path / "staging").as_uri(), ME, Disks(EVIL), cast(ClusterClient, Cluster()), console)
    assert folder.exists() and (output / "_temporary" / APP).exists()


def test_no_history_is_written_into_the_folder_of_somebody_else(tmp_path: Path) -> None:
    folder = tmp_path / "history" / APP
    folder.mkdir(parents=True)
    writer = HistoryWriter(Disks(EVIL), folder.as_uri(), owner=ME)
    writer.snapshot(snapshot())
    writer.spec(spec(folder))
    writer.record("phase", {}, 1.0)
    writer.close()
    assert list(folder.iterdir()) == []
    assert writer.trouble == (
        f"the history cannot be written: {folder.as_uri()} belongs to evil, not to {ME}"
    )
    mine = HistoryWriter(Disks(ME), folder.as_uri(), owner=ME)
    mine.snapshot(snapshot())
    mine.close()
    assert (mine.trouble, [one.name for one in folder.iterdir()]) == ("", ["job.json"])
