"""What a person sees and can do while a job is followed: words, panel, estimates, ways, commands."""

from __future__ import annotations

import io
import queue
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from job_samples import APP, container, snapshot

from xlearning.client.cli.verb import needed as words_of
from xlearning.client.console import Console, PlainConsole, open_console
from xlearning.client.following.attended import Attended
from xlearning.client.following.banner import banner, left_alone, needed
from xlearning.client.following.eta import Eta
from xlearning.client.following.follow import Ending, wants_board
from xlearning.client.following.log_lines import Lines
from xlearning.client.following.log_stream import LogStream
from xlearning.client.following.outcome import Outcome
from xlearning.client.following.outcome_json import outcome
from xlearning.client.following.panel_text import Moment, panel_text
from xlearning.client.following.stopping import Detached, Stopper
from xlearning.client.following.view import View
from xlearning.client.following.ways import Chosen, Ways, check_logs, ways_of
from xlearning.client.scan import scan
from xlearning.client.verbs.log_choice import LogTarget
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config, load
from xlearning.errors import ClusterUnavailable, UsageError
from xlearning.job import AppState, BoardView, ContainerState, JobSpec, RoleSpec

JOB = JobSpec(APP, "n", "T", "me", ("x",), (RoleSpec("ps", 1, 64, 1), RoleSpec("worker", 2, 64, 1)), "", "")
RUNNING = snapshot(
    container(0, ContainerState.RUNNING, progress=0.25, memory_bytes=1 << 20, memory_limit_bytes=2 << 20),
    progress=0.25,
)


class Told(PlainConsole):
    """A console that keeps what it is told, and answers questions."""

    def __init__(self, *, live: bool = False, answer: str = "") -> None:
        super().__init__(io.StringIO())
        self.lines: list[str] = []
        self.panel, self.trouble = "", ""
        self.live = live
        self.answer = answer
        self.interactive = bool(answer)

    def info(self, text: str) -> None:
        self.lines.append(text)

    def status(self, text: str, trouble: str = "") -> None:
        self.panel, self.trouble = text, trouble

    def ask(self, question: str, seconds: float) -> str:
        assert APP in question and seconds > 0
        if self.answer == "^C":
            raise KeyboardInterrupt
        return "" if self.answer == "none" else self.answer


class Am:
    """What a Watcher does for a kill, and a back end."""

    def __init__(self, *, away: bool = False) -> None:
        self.away = away
        self.asked: list[str] = []
        self.forced: list[str] = []

    def kill(self, *words: str) -> str:
        if words[0] == APP:
            self.forced.append(words[1])
        elif self.away:
            raise ClusterUnavailable("away")
        else:
            self.asked.append(words[1])
        return ""


def stopper(console: Console, am: Am, **more: Any) -> Stopper:
    return Stopper(JOB, am, am, console, **more)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _same_handlers() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("answer", ["d", "none", "^C"])
def test_ctrl_c_leaves_the_job_unless_told_otherwise(answer: str) -> None:
    am = Am()
    with pytest.raises(Detached):
        stopper(Told(answer=answer), am).signal(signal.SIGINT)
    assert am.asked == am.forced == []


def test_ctrl_c_kills_when_told_so_and_then_leaves() -> None:
    am, console = Am(), Told(answer="k")
    asked = stopper(console, am)
    asked.signal(signal.SIGINT)
    assert am.asked == ["SIGINT to xl-submit"]
    with pytest.raises(Detached):
        asked.signal(signal.SIGINT)


def test_who_killed_and_why_is_told_where_no_application_master_can_be_asked() -> None:
    am = Am(away=True)
    stopper(Told(answer="k"), am).signal(signal.SIGINT)
    assert (am.asked, am.forced) == ([], [f"killed by {JOB.user}: SIGINT to xl-submit"])


def test_any_other_key_follows_on_and_the_next_ctrl_c_asks_again() -> None:
    am, console = Am(), Told(answer="\n")
    asked = stopper(console, am)
    asked.signal(signal.SIGINT)
    asked.signal(signal.SIGINT)
    assert am.asked == [] and console.lines == ["Following on; Ctrl-C asks again"] * 2


def test_a_closed_terminal_leaves_the_job() -> None:
    am = Am()
    with pytest.raises(Detached):
        stopper(Told(), am).signal(signal.SIGHUP)
    assert am.asked == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_bystander_leaves_without_a_question(number: signal.Signals) -> None:
    am = Am()
    with pytest.raises(Detached) as left:
        stopper(Told(answer="k"), am, bystander=True).signal(number)
    assert (left.value.signum, am.asked, am.forced) == (number, [], [])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_kill_on_exit_kills_without_a_question_and_the_second_time_by_force(number: signal.Signals) -> None:
    am = Am()
    sure = stopper(Told(answer="d"), am, kill_on_exit=True)
    sure.signal(number)
    assert (am.asked, am.forced) == ([f"{number.name} to xl-submit"], [])
    sure.signal(number)
    assert am.forced == [f"killed by {JOB.user}: {number.name} to xl-submit"]
    with pytest.raises(Detached):
        sure.signal(number)


def test_the_panel_says_how_it_stands() -> None:
    text = panel_text(Moment(APP, 65.2, RUNNING, 200.0, "waiting for 1 container for 20s: none has room"))
    assert text.splitlines() == [
        f"{APP}  RUNNING for 1m 05s",
        "  [#####...............] 25%  about 3m 20s left",
        "  worker  1 running, 1 waiting",
        "    worker:0  running  25%  1.0 MiB of 2.0 MiB  node0",
        "  waiting for 1 container for 20s: none has room",
    ]
    assert panel_text(Moment(APP, 1.0, None)) == f"{APP}  SUBMITTED for 1.0s"


def test_the_panel_of_many_containers_has_no_line_for_each() -> None:
    many = snapshot(*(container(n, ContainerState.RUNNING) for n in range(40)), roles=())
    assert panel_text(Moment(APP, 1.0, many)).splitlines()[1:] == ["  worker  40 running"]


def test_a_console_with_a_panel_gets_news_and_the_others_standings_too() -> None:
    failed = replace(
        RUNNING, containers=(container(0, ContainerState.FAILED, exit_code=3),), page_url="http://p"
    )
    plain, live = Told(), Told(live=True)
    for console in (plain, live):
        view = View(APP, 1.0, console, heartbeat=1000)
        view.show(RUNNING)
        view.show(failed)
    news = ["Page: http://p", "worker:0 (c0 on node0) FAILED: exit code 3"]
    assert live.lines == news
    assert live.trouble == news[1]
    assert [line for line in plain.lines if line in news] == news
    assert any(line.startswith("RUNNING") for line in plain.lines)
    assert live.panel.startswith(APP)


@pytest.mark.parametrize("live", [False, True])
def test_a_job_that_tells_nothing_itself(live: bool) -> None:
    console = Told(live=live)
    view = View(APP, 1.0, console, heartbeat=0)
    for _ in range(2):
        view.reported(AppState.RUNNING)
    view.tick()
    assert console.lines == ([] if live else ["RUNNING · waiting for its end"] * 2)
    if live:
        assert console.panel.startswith(f"{APP}  RUNNING for ")
        assert console.panel.endswith("\n  waiting for its end")


@pytest.mark.parametrize("live", [False, True])
def test_a_job_that_is_met_running_is_asked(live: bool) -> None:
    console = Told(live=live)
    view = View(APP, 1.0, console, heartbeat=0, found=AppState.RUNNING)
    view.tick()
    if live:
        assert console.panel.startswith(f"{APP}  RUNNING for ")
        assert console.panel.endswith("\n  asking the ApplicationMaster")
    else:
        assert console.lines == ["RUNNING · asking the ApplicationMaster"]
    view.show(RUNNING)
    view.tick()
    last = console.panel if live else console.lines[-1]
    assert "asking" not in last
    assert "waiting for 1 container" in last


def test_a_heartbeat_says_how_it_stands_and_why_it_waits() -> None:
    console = Told()
    view = View(APP, 1.0, console, heartbeat=0)
    view.tick()
    assert console.lines.pop() == "waiting for the ApplicationMaster"
    view.waits("the queue is full: 5 of 6")
    view.waits("the queue is full: 6 of 6")  # only numbers differ
    assert console.lines == ["waiting for the ApplicationMaster: the queue is full: 5 of 6"]
    view.show(RUNNING)
    view.waits("no node has room")
    assert console.lines[-1] == "waiting for 1 container: no node has room"
    view.tick()
    assert console.lines[-1] == (
        "RUNNING · worker: 1 running, 1 waiting · 25% · waiting for 1 container: no node has room"
    )


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({}, False),
        ({"app_type": "TENSORFLOW"}, True),
        ({"properties": {"xlearning.tf.board.enable": "true"}}, True),
    ],
)
def test_why_there_is_no_board_is_told_to_who_asked_for_one(asked: dict[str, Any], told: bool) -> None:
    console = Told()
    view = View(APP, 1.0, console, heartbeat=1.0, board=wants_board(replace(JOB, **asked)))
    why = "TensorBoard cannot be started: program 'tensorboard' was not found"
    board = BoardView(True, "", "eventLog", why)
    for progress in (0.1, 0.9):
        view.show(replace(RUNNING, board=board, progress=progress))
    assert console.lines.count(why) == told
    assert len(console.lines) == 2 + told


def test_an_estimate_needs_progress_that_goes_on() -> None:
    eta = Eta()
    assert eta.left(0) is None
    for step in range(6):
        eta.seen(0.1 * step, 10.0 * step)
    assert eta.left(50.0) == pytest.approx(50.0)
    assert eta.left(55.0) == pytest.approx(45.0)
    assert eta.left(90.0) is None  # it has stopped
    eta.seen(0.1, 91.0)  # begun anew
    assert eta.left(91.0) is None


def test_an_estimate_is_not_made_of_a_jump() -> None:
    eta = Eta()
    for now, share in ((0, 0.0), (1, 0.5), (30, None), (31, 0.6)):
        eta.seen(share, now)
    assert eta.left(31) is None


def ways(*words: str) -> tuple[Ways, list[str]]:
    line = scan([*words, "--", "x"])
    return ways_of(line), [problem.message for problem in line.problems]


def test_ways() -> None:
    assert ways() == (Ways(), [])
    assert ways("--no-wait")[0] == Ways(detach=True)
    assert ways("--logs")[0].logs == ways("--logs=all")[0].logs == Chosen()
    assert ways("--logs=worker:1", "--format=JSON")[0] == Ways(as_json=True, logs=Chosen("worker", 1))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--format", "xml"), "--format is text or json, not 'xml'"),
        (("--detach", "--kill-on-exit"), "--detach leaves at once, so --kill-on-exit can do nothing"),
        (("--detach", "--logs"), "--detach leaves at once, so --logs can do nothing"),
        (("--logs=1:2:3",), "--logs=1:2:3 names no container"),
    ],
)
def test_ways_that_make_no_sense(words: Sequence[str], told: str) -> None:
    assert ways(*words)[1] == [told]


@pytest.mark.parametrize("chosen", [Chosen("worker", 2), Chosen("chief")])
def test_logs_of_a_container_that_the_job_does_not_have(chosen: Chosen) -> None:
    for good in (Chosen(), Chosen("ps"), Chosen("worker", 1)):
        check_logs(Ways(logs=good), JOB)
    with pytest.raises(UsageError, match="the job has no such container") as caught:
        check_logs(Ways(logs=chosen), JOB)
    assert caught.value.hint == "it has ps:0, worker:0 to worker:1"


def test_lines_of_programs() -> None:
    lines = Lines("worker:0")
    assert lines.add(b"one\ntw") == ["worker:0 | one"]
    assert lines.add(b"o\r\n 10%\r 20%\n\xff") == ["worker:0 | two", "worker:0 |  20%"]
    assert lines.end() == ["worker:0 | \\xff"]
    assert lines.end() == []
    assert len(lines.add(b"x" * 9000)) == 1


class Logs:
    """Logs of one container, that a test writes."""

    def __init__(self) -> None:
        self.texts = {"stdout": b"", "agent.log": b"not the program's"}
        self.away = False
        self.closed = threading.Event()

    def sizes(self, target: LogTarget) -> Mapping[str, int]:
        if self.away:
            raise ClusterUnavailable("the node is away")
        return {name: len(text) for name, text in self.texts.items()} if target.id == "c0" else {}

    def read(self, target: LogTarget, name: str, start: int) -> Iterator[bytes]:
        assert target.label == "worker:0"
        yield self.texts[name][start:]

    def close(self) -> None:
        self.closed.set()


class Scene:
    """A log stream that looks only when it is woken."""

    def __init__(self) -> None:
        self.logs, self.shown = Logs(), queue.SimpleQueue[str]()
        console = Told()
        console.output = lambda lines: [self.shown.put(line) for line in lines]  # type: ignore[assignment,misc]
        console.warn = self.shown.put  # type: ignore[method-assign]
        self.stream = LogStream(self.logs, Chosen("worker"), console, pause=0.01)
        self.stream.start()

    def next(self) -> str:
        return self.shown.get(timeout=30)


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.stream.stop()
    assert made.logs.closed.is_set()


def test_output_is_shown_as_it_comes_and_the_rest_at_the_end(scene: Scene) -> None:
    ps = container(1, ContainerState.RUNNING, role="ps")
    scene.stream.update(snapshot(container(0, ContainerState.RUNNING), ps))
    scene.logs.texts["stdout"] = b"one\ntw"
    assert scene.next() == "worker:0 | one"
    scene.logs.texts["stdout"] += b"o\nlast"
    assert scene.next() == "worker:0 | two"
    scene.stream.update(snapshot(container(0, ContainerState.SUCCEEDED), ps))
    assert scene.next() == "worker:0 | last"
    scene.stream.finish()
    assert scene.shown.empty()


def test_who_writes_more_than_can_be_shown_is_cut(scene: Scene) -> None:
    scene.logs.texts["stdout"] = b"x" * (5 << 20) + b"\nend\n"
    scene.stream.update(snapshot(container(0, ContainerState.RUNNING)))
    assert scene.next() == "worker:0 | ... 4.9 MiB left out: xl-submit logs shows them"
    assert len(scene.next()) < 70000
    assert scene.next() == "worker:0 | end"


def test_last_lines_that_cannot_be_had_are_said(scene: Scene) -> None:
    scene.logs.away = True
    scene.stream.update(snapshot(container(0, ContainerState.SUCCEEDED)))
    scene.stream.finish()
    assert scene.next() == (
        "the last lines of programs may be missing (the node is away): xl-submit logs shows them"
    )


def test_commands_that_find_the_job_again() -> None:
    config = load(
        environ={},
        conf_dir=None,
        conf_files=[],
        overrides=[("xlearning.staging.dir", "/a b"), ("xlearning.worker.num", "3")],
        options={"xlearning.kerberos.keytab": ("/k", "--keytab")},
    )
    assert needed(config, scan(["--conf-file", "/c/x.xml", "--cluster", "far"])) == [
        *("--cluster", "far", "--conf-file", "/c/x.xml", "--conf", "xlearning.kerberos.keytab=/k"),
        *("--conf", "xlearning.staging.dir=/a b"),
    ]
    first, _, logs, _ = banner(JOB, Config.from_properties({}), scan(["--local"])).splitlines()
    assert first.endswith(f"as {APP}")
    assert logs == f"  Logs:   xl-submit logs {APP} --follow --local"
    detached = banner(JOB, Config.from_properties({}), scan(["--local", "--detach"])).splitlines()
    assert detached[1] == f"  Follow: xl-submit top {APP} --local"
    assert left_alone(APP, ["--local"]).splitlines()[1:] == [
        *(detached[1], f"  Kill:   xl-submit kill {APP} --local"),
    ]


def test_a_verb_hands_on_the_words_that_find_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    nothing = dict.fromkeys(("cluster", "keytab", "principal"))
    several = dict.fromkeys(("conf_file", "properties_file", "conf"), ())
    assert words_of({"local": False, **nothing, **several}) == []
    given = {"local": True, "keytab": "k", "conf": ("a.b=1", "c.d=2"), "conf_file": ("x.xml",)}
    assert words_of({**nothing, **several, **given}) == [
        *("--local", "--keytab", str(tmp_path / "k"), "--conf-file", str(tmp_path / "x.xml")),
        *("--conf", "a.b=1", "--conf", "c.d=2"),
    ]


def test_the_end_for_a_program() -> None:
    report = ApplicationReport(APP, "n", "me", AppState.FAILED, "because", submitted=1.0, finished=3.0)
    seen = snapshot(container(1, ContainerState.FAILED, exit_code=3, ended=1))
    told = outcome(JOB, report, seen, backend="yarn", now=9.0)
    assert (told.app_id, told.state, told.reason, told.seconds) == (APP, AppState.FAILED, "because", 2.0)
    assert (told.exit_code, told.failed, told.backend) == (3, "c1", "yarn")
    good = outcome(JOB, replace(report, state=AppState.SUCCEEDED), None, backend="yarn", now=9.0)
    assert (good.exit_code, good.reason, good.containers) == (0, "", ())


def test_quiet_says_only_what_is_wrong() -> None:
    stream = io.StringIO()
    console = open_console(stream, quiet=True)
    console.info("news")
    console.status("how")
    console.block(["good"], good=True)
    assert stream.getvalue() == ""
    console.warn("careful")
    console.output(["worker:0 | x"])
    console.block(["bad"], good=False)
    assert stream.getvalue().split("careful")[1] == "\nworker:0 | x\nbad\n"


@pytest.mark.parametrize(
    ("ways", "state", "code"),
    [
        (Ways(as_json=True), AppState.SUCCEEDED, 1),
        (Ways(as_json=True), AppState.FAILED, 2),
        (Ways(), AppState.SUCCEEDED, 0),
        (Ways(as_json=True, detach=True), AppState.RUNNING, 1),
    ],
)
def test_a_document_that_cannot_be_written(
    ways: Ways, state: AppState, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = ApplicationReport(APP, "n", "me", state)
    place = SimpleNamespace(name="local", cluster=SimpleNamespace(report=lambda app_id: report))  # noqa: ARG005
    ended = Outcome(report, None, {}, ("it has ended",))
    monkeypatch.setattr("xlearning.client.following.outcome.conclude", lambda *_: ended)
    attended = Attended(JOB, cast(Any, place), ways, Told())
    with open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        left = attended.to_the_end(inbox) if ways.detach else attended.ended(Ending(report, None))
        monkeypatch.undo()
    assert left == code
