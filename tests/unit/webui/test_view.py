"""What the page derives from a snapshot, and the words it uses."""

import dataclasses

import pytest
import webui_samples as samples

from xlearning.job import AppState, BoardView, ContainerState, RoleSpec
from xlearning.webui import view
from xlearning.webui.pages import clean


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, "–"),
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (2.25 * 1024**3, "2.3 GiB"),
        (412 * 1024**2, "412 MiB"),
        (1024**2 - 1, "1.0 MiB"),
        (5 * 1024**6, "5120 PiB"),
    ],
)
def test_sizes(count: float | None, text: str) -> None:
    assert view.size_text(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (-3, "0 s"),
        (59.9, "59 s"),
        (72, "1 m 12 s"),
        (3600 + 185, "1 h 3 m"),
        (3 * 86400 + 4 * 3600, "3 d 4 h"),
    ],
)
def test_durations(seconds: float | None, text: str) -> None:
    assert view.duration_text(seconds) == text


@pytest.mark.parametrize(
    ("code", "text"), [(None, "–"), (0, "0"), (3, "3"), (137, "137 SIGKILL"), (128, "128"), (255, "255")]
)
def test_exit_codes_name_the_signal(code: int | None, text: str) -> None:
    assert view.exit_text(code) == text


def test_progress_says_100_only_when_done() -> None:
    assert [view.percent_text(x) for x in (None, 0.0, 0.29, 0.999, 1.0)] == [
        "–",
        "0 %",
        "29 %",
        "99 %",
        "100 %",
    ]


def test_title_is_xlearnings() -> None:
    assert view.title(samples.job()) == f"Tensorflow Application {samples.APP}"


@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "//evil", "http://", "ftp://x/", "http://[", "data:text/html,x"]
)
def test_only_web_addresses_become_links(url: str) -> None:
    assert view.web_link(url) == ""
    assert view.web_link("https://node:1/x?y=z") == "https://node:1/x?y=z"


def test_workers_come_first_and_failed_containers_before_them() -> None:
    healthy = samples.job()
    assert [view.place(c) for c in view.ordered(healthy)] == ["worker:0", "worker:1", "ps:0"]
    assert [view.place(c) for c in view.ordered(samples.failed_job())] == ["worker:1", "worker:0", "ps:0"]


def test_a_container_of_a_role_without_specification_is_shown() -> None:
    odd = samples.job(containers=(*samples.job().containers, samples.container(9, "helper", None)))
    assert view.role_names(odd) == ["worker", "ps", "helper"]
    assert view.place(view.ordered(odd)[-1]) == "helper"


def test_a_broken_container_counts_as_replaced_when_a_later_generation_holds_its_index() -> None:
    lost = samples.container(3, state=ContainerState.LOST)
    other = samples.container(5, generation=2)
    alone = samples.job(containers=(lost,))
    both = samples.job(containers=(lost, other))
    assert view.failing(alone) == [lost] and not view.replaced(alone)
    assert view.failing(both) == [] and view.replaced(both) == {lost.id}


def test_a_container_that_broke_before_it_had_an_index_is_replaced_once_its_role_is_complete() -> None:
    early = samples.container(3, index=None, state=ContainerState.FAILED)
    roles = (RoleSpec("worker", 1, 1024, 1),)
    assert view.failing(samples.job(roles=roles, containers=(early,))) == [early]
    complete = samples.job(roles=roles, containers=(early, samples.container(4)))
    assert view.replaced(complete) == {early.id}


def test_the_cause_stands_before_its_effects() -> None:
    first = samples.container(9, index=1, state=ContainerState.FAILED, finished=samples.BEGIN + 5)
    second = samples.container(2, state=ContainerState.LOST, finished=samples.BEGIN + 9)
    third = samples.container(1, index=2, state=ContainerState.LOST)
    assert view.failing(samples.job(containers=(third, second, first))) == [first, second, third]


def test_waiting_counts_until_a_program_has_started() -> None:
    granted = samples.container(2, "ps", None, state=ContainerState.GRANTED, started=None)
    early = samples.job(containers=(granted,))
    assert view.waiting(early) == (1, 3)
    assert view.waiting(dataclasses.replace(early, state=AppState.FAILED)) is None
    assert view.waiting(samples.job()) is None
    assert view.waiting(samples.job(containers=samples.job().containers[:1])) is None


def test_state_counts_follow_roles_and_states() -> None:
    counts = view.state_counts(samples.failed_job())
    assert list(counts) == ["worker", "ps"]
    assert counts == {"worker": {"FAILED": 1, "STOPPED": 1}, "ps": {"STOPPED": 1}}


def test_the_note_says_why_there_is_no_tensorboard() -> None:
    assert "off" in view.board_note(BoardView(False))
    assert "not up" in view.board_note(BoardView(True))
    assert view.board_note(BoardView(True, "http://h:1/")) == ""
    assert "javascript:x" in view.board_note(BoardView(True, "javascript:x"))
    assert view.board_note(BoardView(True, note="port taken")) == "port taken"


def test_log_text_loses_terminal_escapes_and_keeps_every_line() -> None:
    assert clean("a\x1b[1;32mb\x1b[0m\r\nc\r 10%\r 20%\x1b]0;title\x07!\n") == "ab\nc\n 10%\n 20%!\n"
