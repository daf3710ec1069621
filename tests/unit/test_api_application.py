"""An application that only the back end can tell of, and errors in the words of Python users."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from xlearning.client.api import arguments
from xlearning.client.api.application import Application
from xlearning.client.api.client import Client
from xlearning.client.api.job import Job
from xlearning.client.api.quiet import LoggingConsole
from xlearning.client.api.spelling import in_fields
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.places import LocalPlace, Place
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config
from xlearning.errors import ApplicationNotFound, JobFailed, UsageError, WaitTimeout
from xlearning.job import AppState, Snapshot

APP = "application_1700000000000_0001"
RUNS = ApplicationReport(APP, "theirs", "somebody", AppState.RUNNING, submitted=1.0)
FAILED = replace(RUNS, state=AppState.FAILED, diagnostics="no such queue", finished=5.0)


class Told(LocalPlace):
    """A place that says one thing after the other; the last one for ever."""

    def __init__(self, root: Path, reports: Sequence[ApplicationReport]) -> None:
        super().__init__(Config.from_properties({"xlearning.local.dir": str(root)}), "me")
        self.reports, self.tidied = list(reports), list[str]()
        self.cluster = self  # type: ignore[assignment]

    def report(self, app_id: str) -> ApplicationReport:
        if not self.reports:
            raise ApplicationNotFound(f"no {app_id}")
        return self.reports.pop(0) if len(self.reports) > 1 else self.reports[0]

    def staging(self, app_id: str) -> str:
        return f"file:///nowhere/{app_id}"

    def tidy(self, app_id: str, console: object) -> None:  # noqa: ARG002
        self.tidied.append(app_id)

    def logs(self, app_id: str, container_id: str) -> dict[str, str]:  # noqa: ARG002
        return {}


def application(root: Path, *reports: ApplicationReport) -> tuple[Application, Told]:
    place = Told(root, reports)
    found = Found(reports[0], cast(Place, place))
    config = Config.from_properties({})
    return Application(found, config, LoggingConsole(), release=lambda: None), place


def test_a_job_of_somebody_else_is_waited_for_and_left_as_it_is(tmp_path: Path) -> None:
    theirs, place = application(tmp_path, RUNS, RUNS, RUNS, FAILED)
    assert theirs.status().containers == ()
    seen: list[Snapshot] = []
    result = theirs.wait(timeout=20, on_change=seen.append)
    assert (result.state, result.reason, seen) == (AppState.FAILED, "no such queue", [])
    assert result.text == f"{APP} FAILED after 4.0s: no such queue"
    assert result.snapshot.state is AppState.FAILED
    assert place.tidied == []
    with pytest.raises(JobFailed, match="no such queue"):
        result.check()
    assert repr(theirs) == f"<Application {APP} 'theirs' on this machine: FAILED>"


def test_what_was_seen_of_an_end_stays_true(tmp_path: Path) -> None:
    theirs, place = application(tmp_path, RUNS, FAILED)
    assert theirs.wait().state is AppState.FAILED
    place.reports.clear()
    assert theirs.wait().state is AppState.FAILED
    assert theirs.kill() is AppState.FAILED


def test_the_end_of_patience(tmp_path: Path) -> None:
    theirs, _ = application(tmp_path, RUNS)
    with pytest.raises(WaitTimeout, match=rf"{APP} has not ended within 0\.2 s"):
        theirs.wait(timeout=0.2)
    with pytest.raises(TimeoutError):
        theirs.wait(timeout=0)


def test_an_index_without_a_role(tmp_path: Path) -> None:
    theirs, _ = application(tmp_path, RUNS)
    with pytest.raises(UsageError, match="index counts within a role"):
        theirs.logs(index=1)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda one: one.wait("x"), "timeout='x' is no number"),
        (lambda one: one.wait(on_change=3), "on_change=3 cannot be called"),
        (lambda one: one.logs(files=3), "files=3 are no names"),
        (lambda one: one.logs(role=3), "role=3 is no text"),
        (lambda one: one.logs(role="worker", index="0"), "index='0' is no whole number"),
        (lambda one: one.logs(tail=-1), "tail=-1 is no whole number"),
        (lambda one: one.kill(reason=None), "reason=None is no text"),
    ],
)
def test_arguments_that_are_none(call: Callable[[Any], object], told: str, tmp_path: Path) -> None:
    theirs, _ = application(tmp_path, RUNS)
    with pytest.raises(UsageError, match=re.escape(told)):
        call(theirs)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda client: client.submit("true"), "'true' is no job\n  hint: give a Job: Job('true')"),
        (lambda client: client.plan(None), "None is no job"),
        (lambda client: client.application(None), "app_id=None is no text"),
        (lambda client: client.applications(limit="x"), "limit='x' is no whole number"),
        (lambda client: client.applications(states=3), "not all are states"),
    ],
)
def test_arguments_of_a_client_that_are_none(
    call: Callable[[Any], object], told: str, tmp_path: Path
) -> None:
    with Client(local=True, conf={"xlearning.local.dir": tmp_path}) as client:
        with pytest.raises(UsageError) as caught:
            call(client)
        assert told in str(caught.value)
        assert client.applications(states="running") == []


def test_one_name_of_a_file_is_one_name() -> None:
    assert arguments.texts("files", "stdout") == ("stdout",)
    assert arguments.texts("files", ["a", "b"]) == ("a", "b")


@pytest.mark.parametrize(
    ("job", "told"),
    [
        (Job("run", worker_num="many"), "bad property worker_num many"),
        (Job("run", output_index="x"), "output_index x is not a whole number"),
        (Job("run", output={"": "model"}), "output #model names no path"),
    ],
)
def test_errors_name_fields(job: Job, told: str, tmp_path: Path) -> None:
    client = Client(local=True, conf={"xlearning.local.dir": tmp_path})
    with client, pytest.raises(UsageError) as caught:
        client.plan(job)
    assert told in str(caught.value) and "--" not in str(caught.value)


def test_only_fields_of_a_job_are_renamed() -> None:
    assert in_fields("add --allow-empty-input, or --local; a--files; --no-such") == (
        "add allow_empty_input, or --local; a--files; --no-such"
    )
