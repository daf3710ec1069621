"""Following an application: a real gRPC server stands for the ApplicationMaster."""

from __future__ import annotations

import dataclasses
import io
import json
import queue
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest

from xlearning.client.console import PlainConsole
from xlearning.client.following import watch
from xlearning.client.following.follow import Detached, Ending, Follower
from xlearning.client.following.watch import Event, Interrupt, Watcher
from xlearning.client.session import AmAddress, AmConnection, find_am, read_credentials
from xlearning.cluster import credentials
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import ApplicationNotFound, ClusterError, ClusterUnavailable
from xlearning.fs import FileSystems
from xlearning.fs.owners import NotBelieved
from xlearning.job import AppState, BoardView, InputStrategy, JobSpec, Snapshot, to_dict
from xlearning.proto import xlearning_pb2 as pb
from xlearning.proto import xlearning_pb2_grpc as rpc

APP = "application_1700000000000_0001"
FSS = FileSystems("file://")


def snapshot(version: int, state: AppState = AppState.RUNNING, attempt: int = 1) -> Snapshot:
    return Snapshot(
        app_id=APP,
        app_name="n",
        app_type="T",
        user="me",
        attempt=attempt,
        state=state,
        phase="",
        reason="because",
        version=version,
        submitted=1.0,
        started=1.0,
        finished=None,
        progress=None,
        command=(),
        roles=(),
        containers=(),
        inputs=(),
        input_strategy=InputStrategy.DOWNLOAD,
        outputs=(),
        board=BoardView(False),
        page_url="http://page",
    )


class Am(rpc.ApplicationServicer):
    """An ApplicationMaster that shows the snapshots that a test gives it."""

    def __init__(self, staging: Path, attempt: int = 1) -> None:
        self.changed = threading.Condition()
        self.current = snapshot(1, attempt=attempt)
        self.killed: list[str] = []
        self.kill_asked = threading.Event()
        self.refusal = ""
        self.polled = threading.Event()
        pair = credentials.load(staging / "credentials")
        self.server = grpc.server(ThreadPoolExecutor(4))
        rpc.add_ApplicationServicer_to_server(self, self.server)
        secret = grpc.ssl_server_credentials([(pair[1], pair[0])], pair[0], require_client_auth=True)
        port = self.server.add_secure_port("127.0.0.1:0", secret)
        self.server.start()
        record = {"address": f"127.0.0.1:{port}", "attempt": attempt, "started": 1.0, "page": "http://page"}
        draft = staging / "am.tmp"
        draft.write_text(json.dumps(record))
        draft.rename(staging / f"am-{attempt}.json")  # as ours does: it is read while it is written

    def show(self, new: Snapshot) -> None:
        with self.changed:
            self.current = new
            self.changed.notify_all()

    def stop(self) -> None:
        with self.changed:
            self.changed.notify_all()
        self.server.stop(0).wait()

    def Status(self, request: Any, context: Any) -> pb.StatusReply:
        with self.changed:
            if request.wait:
                self.polled.set()
                self.changed.wait_for(
                    lambda: self.current.version > request.after_version or not context.is_active(),
                    request.wait,
                )
            return pb.StatusReply(snapshot_json=json.dumps(to_dict(self.current)))

    def Kill(self, request: Any, context: Any) -> pb.KillReply:  # noqa: ARG002
        self.killed.append(f"{request.user}: {request.reason}")
        self.kill_asked.set()
        return pb.KillReply(accepted=not self.refusal, message=self.refusal)


@dataclass
class Backend:
    """What a back end tells the client; `ended` sets the final report."""

    current: ApplicationReport
    killed: list[str] = field(default_factory=list)
    down: int = 0
    deaf: int = 0
    forgotten: bool = False
    asked: threading.Event = field(default_factory=threading.Event)

    def ended(self, state: AppState) -> None:
        self.current = dataclasses.replace(self.current, state=state)

    def report(self, app_id: str) -> ApplicationReport:
        assert app_id == APP
        self.asked.set()
        if self.down:
            self.down -= 1
            raise ClusterUnavailable("the ResourceManager does not answer")
        if self.forgotten:
            raise ApplicationNotFound(f"YARN does not know {app_id}")
        return self.current

    def kill(self, app_id: str, why: str = "") -> None:  # noqa: ARG002
        self.killed.append(app_id)
        if self.deaf:
            self.deaf -= 1
            raise ClusterUnavailable("the ResourceManager does not answer")
        self.ended(AppState.KILLED)

    def new_application_id(self) -> str:
        return APP

    def submit(self, job: JobSpec) -> None:
        raise NotImplementedError

    def list(self) -> Sequence[ApplicationReport]:
        return [self.current]

    def logs(self, app_id: str, container_id: str) -> Mapping[str, str]:
        return {app_id: container_id}

    def waiting(self, app_id: str) -> str:
        return f"{app_id} is not liked"


class Scene:
    """A client that follows in a thread of its own."""

    def __init__(self, staging: Path) -> None:
        self.staging = staging
        self.backend = Backend(ApplicationReport(APP, "n", "me", AppState.RUNNING))
        self.inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.watcher = Watcher(FSS, f"file://{staging}", self.inbox)
        self.output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        job = JobSpec(APP, "n", "T", "me", ("x",), (), f"file://{staging}", "file://")
        console = PlainConsole(self.output)
        self.follower = Follower(job, self.backend, self.watcher, self.inbox, console, interval=0.05)
        self.pool = ThreadPoolExecutor(1)
        self.watcher.start()
        self.result = self.pool.submit(self.follower.run)

    def ending(self) -> Ending:
        return self.result.result(60)

    def text(self) -> str:
        self.output.seek(0)
        return self.output.read()

    def close(self) -> None:
        if not self.result.done():
            self.backend.ended(AppState.KILLED)
            self.inbox.put(Interrupt(signal.SIGTERM))
            self.inbox.put(Interrupt(signal.SIGTERM))
            self.result.exception(60)
        self.watcher.stop()
        self.pool.shutdown()


@pytest.fixture
def staging(tmp_path: Path) -> Path:
    credentials.create(tmp_path / "credentials")
    return tmp_path


@pytest.fixture
def am(staging: Path) -> Iterator[Am]:
    made = Am(staging)
    yield made
    made.stop()


@pytest.fixture
def scene(staging: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setattr("xlearning.client.following.follow._LAST_WORDS", 60.0)  # for a busy machine
    made = Scene(staging)
    yield made
    made.close()


def test_the_newest_attempt_is_found(staging: Path) -> None:
    uri = f"file://{staging}"
    assert find_am(FSS, uri) is None
    for attempt in (2, 10):
        (staging / f"am-{attempt}.json").write_text(json.dumps({"address": "a:1", "attempt": attempt}))
    (staging / ".am-11.json.tmp").write_text("half")
    assert find_am(FSS, uri) == AmAddress("a:1", 10)
    assert find_am(FSS, uri + "/nowhere") is None


def test_a_connection_asks_waits_and_kills(staging: Path, am: Am) -> None:
    target = find_am(FSS, f"file://{staging}")
    assert target is not None
    connection = AmConnection.open(FSS, f"file://{staging}", target)
    try:
        assert connection.status() == am.current
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(connection.status, 1, 60.0)
            assert am.polled.wait(60)
            am.show(snapshot(2))
            assert answer.result(60).version == 2
        assert connection.kill("me", "enough") == ""
        am.refusal = "committing"
        assert connection.kill("me", "again") == "committing"
        assert am.killed == ["me: enough", "me: again"]
        am.stop()
        with pytest.raises(ClusterUnavailable, match="does not answer"):
            connection.status()
    finally:
        connection.close()


def test_an_am_of_another_version(staging: Path, am: Am) -> None:
    """It lacks a call, and says what this client does not understand: that is told, not guessed at."""
    target = find_am(FSS, f"file://{staging}")
    assert target is not None
    connection = AmConnection.open(FSS, f"file://{staging}", target)
    try:
        for answer in ({**to_dict(snapshot(1)), "state": "MELTED"}, {"version": 1}, []):
            am.show(answer)  # type: ignore[arg-type]
            with pytest.raises(ClusterError, match=r"(?s)cannot be read.*another version of xl-submit"):
                connection.status()
        am.show({**to_dict(snapshot(1)), "new": {"a": 1}})  # type: ignore[arg-type]
        assert connection.status() == snapshot(1)
        with pytest.raises(ClusterError, match=r"(?s)does not know how.*another version"):
            connection.save("me")
    finally:
        connection.close()


@pytest.mark.usefixtures("am")
def test_a_stranger_is_refused(staging: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    credentials.create(other / "credentials")
    target = find_am(FSS, f"file://{staging}")
    assert target is not None
    connection = AmConnection(target, *read_credentials(FSS, f"file://{other}"))
    with pytest.raises(ClusterUnavailable):
        connection.status()
    connection.close()
    with pytest.raises(ClusterUnavailable):
        connection.status()


def test_the_end_comes_from_the_back_end_and_the_story_from_the_am(scene: Scene, am: Am) -> None:
    assert am.polled.wait(60)
    am.show(snapshot(2, AppState.SUCCEEDED))
    scene.backend.ended(AppState.SUCCEEDED)
    ending = scene.ending()
    assert ending.report.state is AppState.SUCCEEDED
    assert ending.snapshot == snapshot(2, AppState.SUCCEEDED)
    assert "Page: http://page" in scene.text()


@pytest.fixture
def denied(monkeypatch: pytest.MonkeyPatch) -> list[OSError]:
    """What looks into the staging folder meet, one after the other."""
    left = [PermissionError(13, "denied"), OSError(24, "too many open files"), NotBelieved("not ours")]
    look = watch.find_am

    def find_am(*where: Any) -> AmAddress | None:
        if left:
            raise left.pop()
        return look(*where)

    monkeypatch.setattr(watch, "find_am", find_am)
    return left


def test_the_watcher_goes_on_whatever_a_look_meets(denied: list[OSError], scene: Scene, am: Am) -> None:
    assert am.polled.wait(60)
    assert not denied
    am.show(snapshot(2, AppState.SUCCEEDED))
    scene.backend.ended(AppState.SUCCEEDED)
    assert scene.ending().snapshot == snapshot(2, AppState.SUCCEEDED)


def test_an_am_that_never_comes(scene: Scene) -> None:
    assert scene.backend.asked.wait(60)
    scene.backend.ended(AppState.FAILED)
    assert scene.ending() == Ending(scene.backend.current, None)


def test_an_am_that_dies_is_replaced_by_the_next_attempt(scene: Scene, staging: Path, am: Am) -> None:
    assert am.polled.wait(60)
    am.show(snapshot(7, AppState.FAILED))
    am.stop()
    second = Am(staging, attempt=2)
    try:
        assert second.polled.wait(60)
        second.show(snapshot(9, AppState.SUCCEEDED, attempt=2))
        scene.backend.ended(AppState.SUCCEEDED)
        ending = scene.ending()
    finally:
        second.stop()
    assert ending.snapshot is not None
    assert ending.snapshot.attempt == 2
    assert "Attempt 2 of the application has started" in scene.text()


def test_an_am_that_dies_for_good(scene: Scene, am: Am) -> None:
    assert am.polled.wait(60)
    scene.backend.ended(AppState.FAILED)
    am.stop()
    assert scene.ending().report.state is AppState.FAILED


def test_a_back_end_that_is_away_for_a_while(staging: Path) -> None:
    scene = Scene(staging)
    try:
        scene.backend.down = 3
        assert scene.backend.asked.wait(60)
        scene.backend.ended(AppState.SUCCEEDED)
        assert scene.ending().report.state is AppState.SUCCEEDED
    finally:
        scene.close()


def test_a_signal_kills_through_the_am(scene: Scene, am: Am) -> None:
    assert am.polled.wait(60)
    scene.inbox.put(Interrupt(signal.SIGTERM))
    assert am.kill_asked.wait(60)
    am.show(snapshot(2, AppState.KILLED))
    scene.backend.ended(AppState.KILLED)
    assert scene.ending().report.state is AppState.KILLED
    assert am.killed == ["me: SIGTERM to xl-submit"]
    assert scene.backend.killed == []


def test_a_signal_without_an_am_kills_through_the_back_end(scene: Scene) -> None:
    scene.inbox.put(Interrupt(signal.SIGINT))
    assert scene.ending().report.state is AppState.KILLED
    assert scene.backend.killed == [APP]


def test_a_kill_that_fails_is_tried_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xlearning.client.following.stopping._KILL_PATIENCE", 0.1)
    scene.backend.deaf = 2
    scene.inbox.put(Interrupt(signal.SIGINT))
    assert scene.ending().report.state is AppState.KILLED
    assert scene.backend.killed == [APP] * 3
    assert scene.text().count("not killed, trying again") == 2


def test_a_second_signal_leaves(scene: Scene, am: Am) -> None:
    assert am.polled.wait(60)
    am.refusal = "committing"
    scene.inbox.put(Interrupt(signal.SIGINT))
    scene.inbox.put(Interrupt(signal.SIGINT))
    with pytest.raises(Detached):
        scene.ending()
    assert "not killed: committing" in scene.text()


def test_an_end_that_another_attempt_only_repeats_is_not_waited_for(scene: Scene, am: Am) -> None:
    assert am.polled.wait(60)
    am.show(dataclasses.replace(snapshot(2, AppState.KILLED), said_again=True, finished=3.0))
    ending = scene.ending()
    assert ending.goes_on
    assert scene.backend.current.state is AppState.RUNNING
    assert (ending.report.state, ending.report.diagnostics) == (AppState.KILLED, "because")
    assert (ending.report.submitted, ending.report.finished) == (1.0, 3.0)


@pytest.mark.parametrize(("retry", "state"), [(False, AppState.SUCCEEDED), (True, AppState.FAILED)])
def test_what_was_decided_for_good_holds(scene: Scene, am: Am, retry: bool, state: AppState) -> None:
    """The back end may see the ApplicationMaster die before it has told its end."""
    assert am.polled.wait(60)
    am.show(dataclasses.replace(snapshot(2, AppState.SUCCEEDED), retry=retry))
    scene.backend.ended(AppState.FAILED)
    assert scene.ending().report.state is state


@pytest.mark.parametrize(("attempt", "words"), [(1, "because"), (2, "exit code 10")])
def test_the_reason_of_an_attempt_that_yarn_does_not_follow_by_another(
    scene: Scene, am: Am, attempt: int, words: str
) -> None:
    assert am.polled.wait(60)
    am.show(dataclasses.replace(snapshot(2, AppState.FAILED), retry=True))
    told = dataclasses.replace(scene.backend.current, diagnostics="exit code 10", attempt=attempt)
    scene.backend.current = dataclasses.replace(told, state=AppState.FAILED)
    assert scene.ending().report.diagnostics == words


def test_an_application_that_the_cluster_has_forgotten_has_ended(scene: Scene) -> None:
    assert scene.backend.asked.wait(60)
    scene.backend.forgotten = True
    report = scene.ending().report
    assert report.state is AppState.FAILED
    assert "no record of the application is left" in report.diagnostics
