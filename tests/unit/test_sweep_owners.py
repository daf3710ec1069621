"""What other users can do to a submission's tidying up: nothing. Names and files of theirs prove nothing."""

from __future__ import annotations

import dataclasses
import getpass
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from xlearning.client.console import PlainConsole
from xlearning.client.session import find_am
from xlearning.client.sweep import settle, settle_quietly, staged_job, sweep_dead
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import StorageError
from xlearning.fs import FileSystems, local
from xlearning.fs.base import FileStatus
from xlearning.fs.commit import Committer
from xlearning.fs.owners import NotBelieved
from xlearning.job import AppState, JobSpec, OutputSpec, to_dict

ME = getpass.getuser()
DEAD = "application_1_0001"
FSS = FileSystems("file://")


class Ended:
    """A cluster on which every application has ended."""

    def report(self, app_id: str) -> ApplicationReport:
        return ApplicationReport(app_id, "n", ME, AppState.KILLED)

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


class Site:
    """A staging folder for all, and a folder of the user's."""

    def __init__(self, tmp_path: Path) -> None:
        self.root, self.precious = tmp_path / "staging", tmp_path / "precious"
        self.folder, self.file = self.root / DEAD, self.root / DEAD / "job.json"
        self.words = io.BytesIO()
        self.console = PlainConsole(io.TextIOWrapper(self.words, encoding="utf-8", write_through=True))
        self.folder.mkdir(parents=True)
        (self.precious / "_temporary" / f"{DEAD}_000001").mkdir(parents=True)
        (self.precious / "thesis").write_text("years of work")

    def job(self, **changes: object) -> JobSpec:
        job = JobSpec(DEAD, "n", "T", ME, ("x",), (), self.folder.as_uri(), "file://")
        return dataclasses.replace(job, **changes)  # type: ignore[arg-type]

    def put(self, **changes: object) -> None:
        self.file.write_text(json.dumps(to_dict(self.job(**changes))))

    def sweep(self) -> None:
        sweep_dead(self.root.as_uri(), ME, FSS, Ended(), self.console)  # type: ignore[arg-type]

    def is_whole(self) -> bool:
        return (self.precious / "thesis").exists() and (self.precious / "_temporary").exists()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def of_others(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes paths look like those of another account."""
    theirs: set[str] = set()
    real = local._status

    def status(uri: str, found: os.stat_result) -> FileStatus:
        mine = real(uri, found)
        return dataclasses.replace(mine, owner="evil3") if uri in theirs else mine

    monkeypatch.setattr(local, "_status", status)
    return lambda path: theirs.add(path.as_uri())


def lie(site: Site) -> None:
    site.put(staging=site.precious.as_uri(), outputs=(OutputSpec(site.precious.as_uri(), "m"),))


@pytest.mark.parametrize("theirs", [("folder", "file"), ("folder",), ("file",), ()])
def test_a_lie_about_the_staging_folder(
    theirs: tuple[str, ...], site: Site, of_others: Callable[[Path], None]
) -> None:
    lie(site)
    for name in theirs:
        of_others(getattr(site, name))
    site.sweep()
    assert site.is_whole()
    assert site.file.exists()


@pytest.mark.parametrize("theirs", ["folder", "file"])
def test_a_job_of_somebody_else_is_not_settled(
    theirs: str, site: Site, of_others: Callable[[Path], None]
) -> None:
    """Its file names the user, and this folder."""
    site.put(outputs=(OutputSpec(site.precious.as_uri(), "m"),))
    of_others(getattr(site, theirs))
    site.sweep()
    assert site.is_whole()
    assert site.file.exists()
    assert staged_job(site.folder.as_uri(), FSS, ME) is None


def test_the_same_of_the_user_is(site: Site) -> None:
    site.put(outputs=(OutputSpec(site.precious.as_uri(), "m"),))
    site.sweep()
    assert not site.folder.exists()
    assert not (site.precious / "_temporary").exists()
    assert (site.precious / "thesis").exists()


@pytest.mark.parametrize("changes", [{"app_id": "application_1_0002"}, {"staging": "file:///elsewhere"}])
def test_a_job_of_another_folder(changes: dict[str, object], site: Site) -> None:
    site.put(**changes)
    assert staged_job(site.folder.as_uri(), FSS, ME) is None
    site.sweep()
    assert site.file.exists()


def test_what_follows_a_job_settles_no_folder_of_others(
    site: Site, of_others: Callable[[Path], None]
) -> None:
    of_others(site.folder)
    job = site.job(outputs=(OutputSpec(site.precious.as_uri(), "m"),))
    with pytest.raises(NotBelieved):
        settle(job, FSS)
    assert settle_quietly(job, FSS, site.console) is False
    assert "belongs to evil3" in site.words.getvalue().decode()
    assert site.is_whole()
    assert site.folder.exists()


DAMAGED = [b"null", b"[" * 100_000, b"{}", b"\xff", b'{"app_id": 1}', b'{"user": null}']


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_stops_nobody(content: bytes, site: Site) -> None:
    site.file.write_bytes(content)
    other = site.root / "application_1_0002"
    other.mkdir()
    job = dataclasses.replace(site.job(), app_id=other.name, staging=other.as_uri())
    (other / "job.json").write_text(json.dumps(to_dict(job)))
    site.sweep()
    assert site.file.exists()
    assert not other.exists()


def test_neither_does_a_huge_one_or_a_pipe(site: Site) -> None:
    with open(site.file, "wb") as file:
        file.truncate(2**40)
    site.sweep()
    site.file.unlink()
    os.mkfifo(site.file)
    site.sweep()
    assert site.folder.exists()


@pytest.mark.parametrize("theirs", ["", "am-2.json"])
def test_an_address_that_somebody_else_has_left(
    theirs: str, site: Site, of_others: Callable[[Path], None]
) -> None:
    """A client that asks there shows the application's credential."""
    (site.folder / "am-1.json").write_text('{"address": "mine:1", "attempt": 1}')
    (site.folder / "am-2.json").write_text('{"address": "evil:1", "attempt": 2}')
    of_others(site.folder / theirs)
    with pytest.raises(NotBelieved, match="evil3"):
        find_am(FSS, site.folder.as_uri(), ME)


@pytest.mark.parametrize("content", [b"null", b"[]", b'{"address": 1, "attempt": 1}', b"[" * 100_000])
def test_a_damaged_address(content: bytes, site: Site) -> None:
    (site.folder / "am-1.json").write_bytes(content)
    with pytest.raises(StorageError, match=r"am-1\.json is damaged"):
        find_am(FSS, site.folder.as_uri(), ME)


@pytest.mark.parametrize(
    ("source", "target", "outputs", "app_id"),
    [
        ("precious/thesis", "out/thesis", ["out"], DEAD),
        ("out/_temporary/application_1_0001_000001/../../../precious", "out/x", ["out"], DEAD),
        ("out/_temporary/application_1_0001_000001/c", "precious/x", ["out"], DEAD),
        ("out/_temporary/application_1_0001_000001/c", "out/x", ["precious", "out"], DEAD),
        ("out/_temporary/application_1_0001_000001/c", "out/x", ["out"], "application_1_0002"),
    ],
)
def test_an_intent_that_reaches_further_than_its_outputs(
    source: str, target: str, outputs: list[str], app_id: str, site: Site, tmp_path: Path
) -> None:
    part = tmp_path / "out" / "_temporary" / f"{DEAD}_000001" / "c"
    part.mkdir(parents=True)
    intent = {
        "app_id": app_id,
        "attempt": 1,
        "moves": [{"source": f"file://{tmp_path}/{source}", "target": f"file://{tmp_path}/{target}"}],
        "outputs": [f"file://{tmp_path}/{name}" for name in outputs],
    }
    (site.folder / "commit-1").mkdir()
    (site.folder / "commit-1" / "intent.json").write_text(json.dumps(intent))
    specs = [OutputSpec(f"file://{tmp_path}/out", "m")]
    with pytest.raises(StorageError):
        Committer(FSS, DEAD, site.folder.as_uri(), specs, retry_time=0.0).settle()
    assert site.is_whole()
    assert part.exists()
