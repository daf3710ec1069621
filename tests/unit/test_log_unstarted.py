"""Logs of jobs whose programs never began: nothing is searched for, and the reason is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from job_samples import APP, container, container_id, snapshot

from xlearning.client.console import open_console
from xlearning.client.verbs import log_reading
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.log_output import LogFile
from xlearning.client.verbs.log_reading import Wish, read_logs
from xlearning.client.verbs.log_sources import NoSuchLogs
from xlearning.client.verbs.standing import HISTORY, Standing
from xlearning.cluster.base import ApplicationReport
from xlearning.job import AppState, ContainerState, ContainerView, Snapshot

STOPPED = container(0, ContainerState.STOPPED, reason="the job was killed")
ABSENT = container(1, ContainerState.FAILED, exit_code=127, reason="command not found: lst (PATH=/bin)")
RAN = container(2, ContainerState.SUCCEEDED, started=2.0, exit_code=0)


class Store:
    """Keeps one line of stdout of the containers that it knows."""

    def __init__(self, *known: str) -> None:
        self.known = known

    def sizes(self, target: Any) -> dict[str, int]:
        return {"stdout": 3, "stderr": 0} if target.id in self.known else {}

    def read(self, target: Any, name: str, start: int) -> Any:  # noqa: ARG002
        yield b"hi\n" if name == "stdout" else b""

    def close(self) -> None:
        pass


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def read(
        containers: Sequence[ContainerView], wish: Wish, *, kept: Sequence[str] | None = None, **more: Any
    ) -> tuple[list[LogFile], list[str]]:
        """Files that are shown and lines for people; without ``kept`` YARN must not be asked."""
        report = ApplicationReport(APP, "n", "me", AppState.KILLED, "killed by me")
        seen: Snapshot = snapshot(*containers, state=AppState.KILLED, **more.pop("record", {}))
        stands = Standing(report, "YARN", HISTORY, seen, "yarn", **{"saw_end": True, **more})

        def source(*asked: object) -> Store:  # noqa: ARG001
            assert kept is not None, "nothing is to be looked for"
            if not kept:
                raise NoSuchLogs("YARN has no such logs", hint="the files may have other names")
            return Store(*kept)

        monkeypatch.setattr(log_reading, "standing", lambda found: stands)  # noqa: ARG005
        monkeypatch.setattr(log_reading, "log_source", source)
        place: Any = None
        pieces = [one for one in read_logs(Found(report, place), wish, open_console()) if one]
        lines = [line.partition("  ")[2] for line in capsys.readouterr().err.splitlines()]
        return list(dict.fromkeys(one.file for one in pieces)), lines

    return read


@pytest.mark.parametrize("wish", [Wish(), Wish(files=("stdout",), tail=1), Wish(role="worker", index=0)])
@pytest.mark.parametrize("containers", [(), (STOPPED,)])
def test_a_job_of_which_nothing_began_has_no_logs(told: Any, containers: Any, wish: Wish) -> None:
    assert told(containers, wish) == ([], [f"no program of {APP} was started: killed by me"])


def test_containers_that_were_stopped_before_are_not_looked_for(told: Any) -> None:
    files, lines = told((STOPPED, RAN), Wish(index=0, role="worker"))
    assert files == []
    assert lines == [
        f"worker:0: no program was started: the job was killed; see xl-submit status {APP}",
    ]


def test_a_program_that_could_not_be_started_is_told_below_what_is_there(told: Any) -> None:
    files, lines = told((ABSENT, RAN), Wish(), kept=("c1", "c2"))
    assert [(one.target.label, one.name) for one in files][::2] == [
        ("worker:1", "stdout"),
        ("worker:2", "stdout"),
    ]
    why = "worker:1: no program was started: command not found: lst (PATH=/bin); see xl-submit status"
    assert lines == [f"{why} {APP}"]
    files, lines = told((ABSENT,), Wish(), kept=())
    assert (files, lines) == ([], [f"{why} {APP}"]), "that is why there is nothing"


def test_containers_with_one_reason_share_a_line(told: Any) -> None:
    many = [container(n, ContainerState.STOPPED, reason="why\nmore") for n in range(5)]
    _, lines = told((*many, RAN), Wish(), kept=("c2",))
    assert lines[-1].startswith("worker:0, worker:1, worker:2 and 2 more: no program was started: why; see")


@pytest.mark.parametrize(
    ("containers", "wish", "more"),
    [
        ((STOPPED,), Wish(files=("agent.log",)), {}),
        ((STOPPED,), Wish(container=container_id(1)), {}),
        ((STOPPED,), Wish(), {"saw_end": False}),
        ((RAN,), Wish(), {}),
    ],
)
def test_what_may_be_there_is_looked_for(told: Any, containers: Any, wish: Wish, more: Any) -> None:
    files, lines = told(containers, wish, kept=("c0", "c2", container_id(1)), **more)
    assert files or lines == ["worker:0 c0 has no agent.log; it has stderr, stdout"]
    assert "no program" not in " ".join(lines)


def test_programs_of_an_earlier_attempt_may_have_run(told: Any) -> None:
    with pytest.raises(NoSuchLogs):
        told((RAN,), Wish(), kept=(), record={"attempt": 2})
    _, lines = told((STOPPED,), Wish(), record={"attempt": 2})
    assert lines == [f"worker:0: no program was started: the job was killed; see xl-submit status {APP}"]
