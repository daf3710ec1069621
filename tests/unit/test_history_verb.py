"""Jobs that have ended: those that a place knows, and those of which only a record is left."""

from __future__ import annotations

import getpass
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from job_samples import container, container_id, snapshot
from json_answers import conforming

from xlearning.client.console import open_console
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.ended import ended_jobs, final_states, run
from xlearning.client.verbs.listing import Known, Wish, known_jobs
from xlearning.client.verbs.places import LocalPlace, Places
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config
from xlearning.errors import StorageUnavailable, UsageError
from xlearning.job import AppState, ContainerState, Snapshot, to_dict

ME = getpass.getuser()
ENDED = final_states([])


def app(number: int) -> str:
    return f"application_1700000000000_{number:04d}"


def record(root: Path, number: int, state: AppState = AppState.SUCCEEDED, **more: Any) -> Snapshot:
    """A record as an ApplicationMaster leaves it."""
    told = {"app_id": app(number), "user": ME, "submitted": 100.0 + number, "finished": 200.0, **more}
    seen = replace(snapshot(state=state), **told)
    folder = root / "history" / app(number)
    folder.mkdir(parents=True)
    (folder / "job.json").write_text(json.dumps(to_dict(seen)))
    return seen


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(Config.from_properties({"xlearning.local.dir": str(tmp_path)}), ME, only_local=True)


def shown(places: Places, **wish: Any) -> list[str]:
    meant = Wish(**{"states": ENDED, **wish})
    return [one.found.app_id for one in ended_jobs(known_jobs(places, Wish()), meant).entries]


def test_what_only_the_history_remembers(places: Places, tmp_path: Path) -> None:
    for number in (9, 10, 11, 12):
        record(tmp_path, number)
    record(tmp_path, 13, AppState.RUNNING, finished=None)
    record(tmp_path, 14, AppState.FAILED)
    (tmp_path / "history" / app(14) / "job.json").write_text("{")
    (tmp_path / "history" / "other").mkdir()
    assert shown(places) == [app(n) for n in (12, 11, 10, 9)]
    assert shown(places, limit=4) == [app(12), app(11)], "no more records are read than are wanted"
    assert shown(places, states=[AppState.KILLED]) == []


def test_an_answer_for_people_and_programs(
    places: Places, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = container(1, ContainerState.FAILED, exit_code=3, ended=1, id=container_id(1, app(2)))
    record(tmp_path, 1)
    record(tmp_path, 2, AppState.FAILED, reason=f"exit code 3\n{'x' * 200}", containers=(bad,))
    record(tmp_path, 3, AppState.KILLED, reason="y" * 200)
    assert run(places, open_console(), wish=Wish(limit=2, states=ENDED), output="text") == 0
    told = capsys.readouterr()
    head, third, second = told.out.splitlines()
    assert head.split() == ["ID", "NAME", "ON", "STATE", "ENDED", "TOOK", "RESULT"]
    assert third.startswith(app(3)) and third.endswith(f"{'y' * 97}...")
    assert "FAILED" in second and second.endswith("1m 38s  exit code 3")
    assert "1 older one is not shown: --limit N shows more" in told.err
    assert run(places, open_console(), wish=Wish(all_users=True, states=ENDED), output="json") == 0
    data = conforming("history", json.loads(capsys.readouterr().out))
    killed, failed, good = data["jobs"]
    assert (failed["exit_code"], failed["failed"], failed["published"]) == (3, bad.id, [])
    assert (good["exit_code"], good["reason"], good["published"]) == (0, "", ["file:///out"])
    assert (killed["exit_code"], killed["recorded"], data["more"]) == (None, True, 0)


def test_there_is_none(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(places, open_console(), wish=Wish(states=ENDED), output="text") == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.endswith("There is no job of yours that has ended on this machine\n")


class Shared(LocalPlace):
    """A cluster with one folder of records for all of its users, which remembers one job."""

    name, title = "yarn", "YARN"


def test_records_of_others_and_of_jobs_that_are_known(tmp_path: Path) -> None:
    mine, theirs = record(tmp_path, 1), record(tmp_path, 2, user="somebody")
    known_one = replace(ApplicationReport.of(mine), state=AppState.KILLED, diagnostics="by YARN")
    config = Config.from_properties({"xlearning.local.dir": str(tmp_path)})
    yarn, here = Shared(config, ME), LocalPlace(config, ME)
    known = Known([Found(known_one, yarn)], [here, yarn], [])

    def told(**wish: Any) -> list[tuple[str, str]]:
        entries = ended_jobs(known, Wish(states=ENDED, **wish)).entries
        return [(one.found.app_id, one.found.place.name) for one in entries]

    assert told() == [(app(1), "yarn")], "a record of a job that is known is no other job"
    assert told(all_users=True) == [(theirs.app_id, "yarn"), (app(1), "yarn")]


def test_records_that_cannot_be_listed(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(path: str) -> None:
        raise StorageUnavailable(f"nobody answers for {path}")

    known = known_jobs(places, Wish())
    monkeypatch.setattr(places.local.fss, "of", away)
    ended = ended_jobs(known, Wish(states=ENDED))
    assert ended.entries == []
    (note,) = ended.notes
    assert note.startswith("jobs that this machine has forgotten are missing: file:///")
    assert "nobody answers for" in note


@pytest.mark.parametrize("state", [AppState.RUNNING, AppState.SUBMITTED])
def test_states_that_are_no_end(state: AppState) -> None:
    with pytest.raises(UsageError, match=f"no job that is {state.value} has ended"):
        final_states([state])
    assert final_states([state, AppState.FAILED]) == [AppState.FAILED]
