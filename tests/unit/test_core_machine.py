"""Single paths through the machine, told as stories."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from xlearning.am.core import actions as act
from xlearning.am.core import events as ev
from xlearning.am.core.machine import Machine
from xlearning.am.core.policies import Limits
from xlearning.am.core.state import Phase, SaveRun
from xlearning.am.core.view import snapshot
from xlearning.frameworks.base import Rules
from xlearning.job import (
    AppState,
    ContainerState,
    JobSpec,
    Member,
    OutputSpec,
    RoleSpec,
    SaveState,
    SaveTrigger,
    TransferView,
)

GANG = Rules(
    gang=True,
    ports={"ps": 1, "worker": 1},
    upload_roles=frozenset(("worker", "ps", "evaluator")),
    has_chief=True,
)


class Story:
    """A machine with short words for what happens to it."""

    def __init__(self, rules: Rules = GANG, outputs: bool = True, limits: Limits | None = None, **roles: int):
        self.job = JobSpec(
            app_id="application_1_0001",
            app_name="n",
            app_type="TENSORFLOW",
            user="u",
            command=("true",),
            roles=tuple(RoleSpec(name, number, 512, 1) for name, number in roles.items()),
            staging="file:///s",
            default_fs="file://",
            outputs=(OutputSpec("file:///out", "model"),) if outputs else (),
        )
        self.machine = Machine(self.job, rules, limits or Limits())
        self.now = 100.0
        self.count = 0
        self.actions: list[act.Action] = []
        self.do(ev.AttemptStarted(self.now, 1, False))

    @property
    def state(self):  # type: ignore[no-untyped-def]
        return self.machine.state

    def do(self, *events: ev.Event) -> list[act.Action]:
        new = [action for event in events for action in self.machine.handle(event)]
        self.actions += new
        return new

    def tick(self, seconds: float) -> list[act.Action]:
        """Let time pass in steps of one second, all registered agents beating."""
        out = []
        for _ in range(int(seconds)):
            self.now += 1
            out += self.do(ev.Tick(self.now))
            for container in list(self.state.containers.values()):
                if container.stream:
                    out += self.do(ev.Beat(container.id, container.generation))
        return out

    def grant(self, role: str, register: bool = True) -> str:
        self.count += 1
        container = f"c{self.count:02d}"
        self.do(ev.ContainerGranted(container, role, "h"))
        if register:
            self.do(ev.AgentRegistered(container, self.count, f"token-{container}", 1, "h"))
        return container

    def all_running(self) -> dict[str, str]:
        """Grant, register, prepare and start everything; task name -> container id."""
        for role in self.job.roles:
            for _ in range(role.instances):
                self.grant(role.name)
        self.do(ev.InputListed(()))
        for container in list(self.state.containers.values()):
            self.do(ev.PortsReady(container.id, 1, (20000,), "10.0.0.1"))
        for container in list(self.state.containers.values()):
            self.do(ev.ProcessStarted(container.id, 1, 7))
        return {str(c.task): c.id for c in self.state.containers.values()}

    def exits(self, container: str, code: int = 0, lines: tuple[str, ...] = ()) -> list[act.Action]:
        return self.do(ev.ProcessExited(container, 1, code, lines))

    def leave_all(self) -> None:
        for container in list(self.state.containers.values()):
            self.do(ev.AgentStopped(container.id, container.generation))

    def of(self, kind: type[act.Action]) -> list[act.Action]:
        return [action for action in self.actions if isinstance(action, kind)]

    def finish(self) -> act.Finish:
        (finish,) = self.of(act.Finish)
        assert isinstance(finish, act.Finish)
        assert self.actions[-1] is finish
        return finish


def test_a_gang_with_ps_succeeds_and_commits_once() -> None:
    story = Story(ps=1, worker=2)
    tasks = story.all_running()
    assert {a.task.index for a in story.of(act.Launch) if a.task.role == "worker"} == {0, 1}
    for name in ("worker:0", "worker:1"):
        story.exits(tasks[name])
        story.do(ev.UploadDone(tasks[name], 1, 1, 10, ("m",)))
    stops = [a for a in story.of(act.StopProcess) if a.container_id == tasks["ps:0"]]
    assert len(stops) == 1
    assert not story.of(act.Commit)
    story.exits(tasks["ps:0"], 143)
    assert [a.container_id for a in story.of(act.Upload)][-1] == tasks["ps:0"]
    story.do(ev.UploadDone(tasks["ps:0"], 1, 1, 10, ("m",)))
    (commit,) = story.of(act.Commit)
    assert {part.container_id for part in commit.uploaded} == set(tasks.values())
    story.do(ev.CommitDone())
    story.leave_all()
    assert story.finish().state is AppState.SUCCEEDED


def test_the_launch_carries_the_whole_cluster_map() -> None:
    story = Story(ps=1, worker=2)
    story.all_running()
    member = Member("h", (20000,), "10.0.0.1")
    (cluster,) = {id(a.cluster): a.cluster for a in story.of(act.Launch)}.values()
    assert cluster == {"ps": (member,), "worker": (member, member)}


def test_indices_are_dealt_by_host_then_container() -> None:
    story = Story(worker=3)
    for number, host in ((1, "b"), (2, "a"), (3, "a")):
        story.do(ev.ContainerGranted(f"c{number}", "worker", host))
        story.do(ev.AgentRegistered(f"c{number}", number, f"t{number}", 1, host))
    story.do(ev.InputListed(()))
    assert {c.id: c.task.index for c in story.state.containers.values()} == {"c2": 0, "c3": 1, "c1": 2}


def test_a_separate_chief_is_worker_zero() -> None:
    story = Story(chief=1, worker=2)
    tasks = story.all_running()
    chief = story.state.containers[tasks["worker:0"]]
    assert chief.role == "chief"
    assert chief.task.chief
    assert set(tasks) == {"worker:0", "worker:1", "worker:2"}


def test_a_failed_worker_fails_the_gang_and_publishes_nothing() -> None:
    story = Story(ps=1, worker=2)
    tasks = story.all_running()
    story.exits(tasks["worker:1"], 3, ("Traceback", "boom"))
    assert {a.container_id for a in story.of(act.StopProcess)} == {tasks["worker:0"], tasks["ps:0"]}
    story.exits(tasks["worker:0"], 143)
    story.exits(tasks["ps:0"], 143)
    story.leave_all()
    finish = story.finish()
    assert finish.state is AppState.FAILED
    assert "worker:1" in finish.reason
    assert "code 3" in finish.reason
    assert not story.of(act.Commit)
    view = snapshot(story.machine, input_files={}, page_url="")
    failed = [c for c in view.containers if c.state is ContainerState.FAILED]
    assert [(c.index, c.exit_code, c.last_lines) for c in failed] == [(1, 3, ("Traceback", "boom"))]


def test_the_first_failure_is_the_one_that_came_first() -> None:
    story = Story(Rules(gang=False, max_failure_rate=0.5), worker=3, outputs=False)
    tasks = story.all_running()
    story.exits(tasks["worker:2"], 3)
    story.exits(tasks["worker:0"], 4)
    story.exits(tasks["worker:1"], 143)
    story.leave_all()
    assert "first: worker:2" in story.finish().reason
    order = {c.name(): c.ended for c in story.state.containers.values()}
    assert (order["worker:2"], order["worker:0"]) == (1, 2)


@pytest.mark.parametrize(("failures", "outcome"), [(1, AppState.SUCCEEDED), (2, AppState.FAILED)])
def test_independent_workers_follow_the_failure_rate(failures: int, outcome: AppState) -> None:
    story = Story(Rules(gang=False, max_failure_rate=0.5), worker=3, outputs=False)
    tasks = story.all_running()
    for number in range(3):
        story.exits(tasks[f"worker:{number}"], 1 if number < failures else 0)
    story.leave_all()
    assert story.finish().state is outcome


def test_a_container_that_dies_before_it_registers_is_replaced_then_fails_the_job() -> None:
    story = Story(worker=1, limits=Limits(start_retry=2))
    for _ in range(3):
        container = story.grant("worker", register=False)
        story.do(ev.ContainerCompleted(container, 231, "a package is missing"))
    story.tick(5)
    assert sum(a.count for a in story.of(act.RequestContainers)) == 3
    finish = story.finish()
    assert finish.state is AppState.FAILED
    assert "a package is missing" in finish.reason


def test_a_replacement_before_the_launch_inherits_the_index() -> None:
    story = Story(worker=2)
    story.grant("worker")
    second = story.grant("worker")
    story.do(ev.InputListed(()))
    index = story.state.containers[second].task.index
    story.do(ev.ContainerCompleted(second, 137, "killed"))
    third = story.grant("worker")
    task = story.state.containers[third].task
    assert (task.index, task.generation) == (index, 2)
    story.do(ev.PortsReady(second, 1, (1,)), ev.PortsReady("c01", 1, (2,)))
    assert not story.of(act.Launch)
    story.do(ev.PortsReady(third, 2, (3,)))
    assert len(story.of(act.Launch)) == 2


def test_a_silent_agent_is_given_up_and_its_generation_can_do_nothing() -> None:
    story = Story(ps=1, worker=1)
    tasks = story.all_running()
    worker = tasks["worker:0"]
    for _ in range(12):
        story.now += 1
        story.do(ev.Tick(story.now), ev.Beat(tasks["ps:0"], 1))
    assert story.state.containers[worker].state is ContainerState.LOST
    assert [a.container_id for a in story.of(act.KillContainer)] == [worker]
    story.exits(worker)
    story.do(ev.UploadDone(worker, 1, 1, 1, ()))
    (refusal,) = [
        a for a in story.do(ev.AgentReconnected(worker, 9, f"token-{worker}")) if type(a) is act.Refuse
    ]
    assert refusal.stream == 9
    assert story.state.containers[worker].state is ContainerState.LOST
    assert not story.of(act.Upload)


@pytest.mark.parametrize(("used", "code", "said"), [(500, 143, True), (500, 1, False), (200, 137, False)])
def test_who_was_ended_near_its_memory_limit_is_told_so(used: int, code: int, said: bool) -> None:
    story = Story(worker=1)
    worker = story.all_running()["worker:0"]
    story.do(ev.Beat(worker, 1, memory_bytes=used << 20), ev.Beat(worker, 1))
    story.do(ev.ProcessExited(worker, 1, code))
    assert story.state.outcome is AppState.FAILED
    words = "out of memory: 500 of 512 MB; --worker-memory (xlearning.worker.memory) gives it more"
    assert story.state.reason.endswith(f": {words}") is said


def test_what_yarn_says_about_memory_is_said_alone() -> None:
    story = Story(worker=1)
    worker = story.all_running()["worker:0"]
    story.do(
        ev.Beat(worker, 1, memory_bytes=700 << 20), ev.ContainerCompleted(worker, None, "for its memory")
    )
    assert story.state.containers[worker].reason == "for its memory"
    other = Story(worker=1)
    worker = other.all_running()["worker:0"]
    other.do(ev.Beat(worker, 1, memory_bytes=700 << 20), ev.ContainerCompleted(worker, None, "ended"))
    assert "700 of 512 MB" in other.state.containers[worker].reason


def test_our_own_stall_is_nobody_elses_fault() -> None:
    story = Story(ps=1, worker=1)
    story.all_running()
    story.now += 30
    story.do(ev.Tick(story.now))
    assert all(c.state is ContainerState.RUNNING for c in story.state.containers.values())
    story.tick(3)
    assert story.state.phase is Phase.RUNNING


def test_a_broken_stream_may_come_back_with_its_token_within_the_window() -> None:
    story = Story(worker=1)
    worker = story.all_running()["worker:0"]
    stream = story.state.containers[worker].stream
    story.do(ev.StreamEnded(worker, stream), ev.AgentReconnected(worker, 50, f"token-{worker}"))
    story.tick(3)
    assert story.state.containers[worker].state is ContainerState.RUNNING
    story.do(ev.StreamEnded(worker, 50))
    story.tick(3)
    assert story.state.containers[worker].state is ContainerState.LOST


def test_orders_are_repeated_after_a_reconnection() -> None:
    story = Story(worker=1)
    worker = story.all_running()["worker:0"]
    story.exits(worker)
    story.do(ev.StreamEnded(worker, story.state.containers[worker].stream))
    again = story.do(ev.AgentReconnected(worker, 50, f"token-{worker}"))
    assert [type(a) for a in again if not isinstance(a, (act.Record, act.PublishSnapshot))] == [
        act.Accept,
        act.Upload,
    ]


def test_the_first_registrant_of_a_container_wins() -> None:
    story = Story(worker=1)
    worker = story.grant("worker")
    assert [type(a) for a in story.do(ev.AgentRegistered(worker, 9, "other", 1))] == [act.Refuse]
    assert [type(a) for a in story.do(ev.AgentReconnected(worker, 9, "guess"))] == [act.Refuse]
    assert [type(a) for a in story.do(ev.AgentRegistered("nobody", 9, "x", 1))] == [act.Refuse]
    assert [type(a) for a in story.do(ev.AgentRegistered(worker, 9, "x", 2))] == [act.Refuse]


def test_kill_stops_everything_but_not_a_commit_that_began() -> None:
    story = Story(worker=1)
    worker = story.all_running()["worker:0"]
    story.exits(worker)
    story.do(ev.UploadDone(worker, 1, 1, 1, ("m",)))
    assert story.state.phase is Phase.COMMITTING
    story.do(ev.KillRequested("bob"))
    story.do(ev.CommitDone())
    story.leave_all()
    assert story.finish().state is AppState.SUCCEEDED

    story = Story(worker=2)
    tasks = story.all_running()
    story.exits(tasks["worker:0"])
    story.do(ev.KillRequested("bob", "wrong data"))
    story.exits(tasks["worker:1"], 143)
    story.leave_all()
    finish = story.finish()
    assert (finish.state, finish.reason, finish.retry) == (
        AppState.KILLED,
        "killed by bob: wrong data",
        False,
    )
    assert not story.of(act.Commit)


def test_a_kill_still_counts_while_the_ps_are_being_stopped() -> None:
    story = Story(ps=1, worker=1)
    tasks = story.all_running()
    story.exits(tasks["worker:0"])
    story.do(ev.UploadDone(tasks["worker:0"], 1, 1, 1, ("m",)))
    story.do(ev.KillRequested("bob"))
    story.exits(tasks["ps:0"], 143)
    story.leave_all()
    assert story.finish().state is AppState.KILLED


def test_an_evaluator_gets_a_grace_time_and_its_failure_does_not_count() -> None:
    story = Story(worker=1, evaluator=1, outputs=False, limits=Limits(evaluator_grace=5))
    tasks = story.all_running()
    story.exits(tasks["worker:0"])
    story.tick(4)
    assert not story.of(act.StopProcess)
    story.tick(3)
    assert [a.container_id for a in story.of(act.StopProcess)] == [tasks["evaluator:0"]]
    story.exits(tasks["evaluator:0"], 1)
    story.leave_all()
    assert story.finish().state is AppState.SUCCEEDED


def test_a_process_that_does_not_stop_is_ended_by_force() -> None:
    story = Story(worker=2, outputs=False, limits=Limits(stop_grace=2, stop_margin=3))
    tasks = story.all_running()
    story.exits(tasks["worker:0"], 1)
    story.tick(7)
    assert [a.container_id for a in story.of(act.KillContainer)] == [tasks["worker:1"]]


@pytest.mark.parametrize("failing", [False, True])
def test_an_evaluator_that_does_not_stop_takes_no_success_back(failing: bool) -> None:
    story = Story(worker=1, evaluator=1, limits=Limits(evaluator_grace=5))
    tasks = story.all_running()
    if failing:
        story.do(ev.ProcessFailing(tasks["evaluator:0"], 1, 3, (), "exit code 3"))
    story.exits(tasks["worker:0"])
    story.do(ev.UploadDone(tasks["worker:0"], 1, 1, 1, ("m",)))
    story.tick(80)
    assert [a.container_id for a in story.of(act.KillContainer)] == [tasks["evaluator:0"]]
    story.do(ev.CommitDone())
    story.leave_all()
    assert story.finish().state is AppState.SUCCEEDED


def test_failed_uploads_and_commits_fail_the_job() -> None:
    story = Story(worker=1)
    worker = story.all_running()["worker:0"]
    story.exits(worker)
    story.do(ev.UploadFailed(worker, 1, "disk full"))
    story.leave_all()
    assert (story.finish().state, "disk full" in story.finish().reason) == (AppState.FAILED, True)

    story = Story(worker=1)
    worker = story.all_running()["worker:0"]
    story.exits(worker)
    story.do(ev.UploadDone(worker, 1, 1, 1, ("m",)), ev.CommitFailed("HDFS is gone"))
    story.leave_all()
    assert (story.finish().state, "HDFS is gone" in story.finish().reason) == (AppState.FAILED, True)


def test_the_output_of_what_failed_is_published_where_that_is_wanted() -> None:
    story = Story(worker=2, limits=Limits(publish_failed=True))
    tasks = story.all_running()
    story.exits(tasks["worker:1"], 3)
    assert story.state.outcome is AppState.FAILED, "the others need not wait for the upload"
    assert [a.container_id for a in story.of(act.Upload)] == [tasks["worker:1"]]
    assert [a.container_id for a in story.of(act.StopProcess)] == [tasks["worker:0"]]
    story.exits(tasks["worker:0"], 143)
    story.do(ev.UploadFailed(tasks["worker:0"], 1, "disk full"))
    story.do(ev.UploadDone(tasks["worker:1"], 1, 1, 10, ("m",)))
    (commit,) = story.of(act.Commit)
    assert isinstance(commit, act.Commit)
    assert [part.container_id for part in commit.uploaded] == [tasks["worker:1"]]
    assert "exited with code 3" in commit.failure
    story.do(ev.CommitDone())
    story.leave_all()
    assert story.finish().state is AppState.FAILED
    assert "exited with code 3" in story.finish().reason
    ends = {str(c.task): (c.state, c.reason) for c in story.state.containers.values()}
    assert ends["worker:1"] == (ContainerState.FAILED, "exited with code 3")
    assert ends["worker:0"] == (ContainerState.FAILED, "its output could not be uploaded: disk full")


@pytest.mark.parametrize("limits", [Limits(), Limits(publish_failed=True, max_attempts=2)])
def test_nothing_of_a_failed_job_is_published_otherwise(limits: Limits) -> None:
    story = Story(worker=1, limits=limits)
    tasks = story.all_running()
    story.exits(tasks["worker:0"], 3)
    for upload in story.of(act.Upload):
        assert isinstance(upload, act.Upload)
        story.do(ev.UploadDone(upload.container_id, 1, 1, 10, ("m",)))
    story.leave_all()
    assert not story.of(act.Commit)
    assert story.finish().state is AppState.FAILED


def test_a_killed_job_publishes_nothing() -> None:
    story = Story(worker=1, limits=Limits(publish_failed=True))
    tasks = story.all_running()
    story.do(ev.KillRequested("ann"))
    story.exits(tasks["worker:0"], 143)
    story.leave_all()
    assert not story.of(act.Upload)
    assert not story.of(act.Commit)
    assert story.finish().state is AppState.KILLED


def test_workers_of_an_independent_type_publish_what_the_failed_ones_have_too() -> None:
    story = Story(Rules(), worker=3, limits=Limits(publish_failed=True))
    tasks = story.all_running()
    for name, code in (("worker:0", 0), ("worker:1", 7), ("worker:2", 0)):
        story.exits(tasks[name], code)
        story.do(ev.UploadDone(tasks[name], 1, 1, 10, ("m",)))
    (commit,) = story.of(act.Commit)
    assert isinstance(commit, act.Commit)
    assert [part.container_id for part in commit.uploaded] == [tasks[f"worker:{i}"] for i in range(3)]
    assert commit.failure == ""
    story.do(ev.CommitDone())
    story.leave_all()
    assert story.finish().state is AppState.SUCCEEDED


def test_a_published_failure_stays_one_in_the_next_attempt() -> None:
    story = Story(worker=1)
    story.do(ev.AlreadyCommitted(1, "worker:0 exited with code 3"))
    assert (story.finish().state, story.finish().retry) == (AppState.FAILED, False)
    assert story.finish().reason == "worker:0 exited with code 3"


def test_the_output_of_a_ps_that_is_lost_at_the_end_fails_the_job() -> None:
    story = Story(ps=1, worker=1)
    tasks = story.all_running()
    story.exits(tasks["worker:0"])
    story.do(ev.UploadDone(tasks["worker:0"], 1, 1, 1, ("m",)))
    story.do(ev.ContainerCompleted(tasks["ps:0"], 137, "node lost"))
    story.leave_all()
    assert story.finish().state is AppState.FAILED


def test_a_save_goes_to_every_running_uploader_once() -> None:
    story = Story(ps=1, worker=2)
    tasks = story.all_running()
    story.do(ev.SaveRequested("2026", "bob"))
    assert {(a.container_id, a.save_id) for a in story.of(act.Save)} == {(c, "2026") for c in tasks.values()}
    for container in tasks.values():
        story.do(ev.SaveDone(container, 1, "2026", 1, 5))
    (run,) = snapshot(story.machine, input_files={}, page_url="").saves
    assert (run.done, run.files, run.size, run.state) == (3, 3, 15, SaveState.RUNNING)
    assert [a.save_id for a in story.of(act.SealSave)] == ["2026"]
    story.do(ev.SaveSealed("2026"))
    (run,) = snapshot(story.machine, input_files={}, page_url="").saves
    assert (run.state, run.containers, run.done, run.finished) == (SaveState.SUCCEEDED, 3, 3, story.now)


def test_what_a_save_copies_shows_while_it_does() -> None:
    story = Story(worker=2)
    first, second = (story.all_running()[f"worker:{n}"] for n in (0, 1))
    saving(story, "a")
    moved = ev.UploadProgressed(first, 1, 3, 5, rate=2.0, save=True)
    for end in (ev.SaveDone(first, 1, "a", 1, 5), ev.SaveFailed(second, 1, "a", "why")):
        story.do(dataclasses.replace(moved, container_id=end.container_id))
        shown = story.state.containers[end.container_id]
        assert shown.transfer == TransferView("save", 3, 5, 0, 0, 2.0)
        story.do(end)
        assert shown.transfer is None
        story.do(dataclasses.replace(moved, container_id=end.container_id))
        assert shown.transfer is None, "a word that comes late"
        assert shown.uploaded_files == 0, "it is no output"


def test_saves_wait_for_one_another_but_not_without_end() -> None:
    story = Story(worker=1, limits=Limits(saves_waiting=2, save=30))
    container = story.all_running()["worker:0"]
    first = saving(story, "a")
    story.tick(20)
    for name in "bcd":
        story.do(ev.SaveRequested(name, "bob"))
    states = {run.save_id: run.state for run in story.state.saves}
    assert [states[name] for name in "bcd"] == [SaveState.QUEUED, SaveState.QUEUED, SaveState.FAILED]
    assert "save a is running, and 2 more wait for its end" in story.state.saves[-1].failures[0]
    story.do(ev.SaveDone(container, 1, "a", 1, 1))
    assert [a.save_id for a in story.of(act.Save)] == ["a"], "the mark is not written yet"
    story.do(ev.SaveSealed("a"))
    assert (first.state, story.of(act.Save)[-1].save_id) == (SaveState.SUCCEEDED, "b")
    second = story.state.saves[1]
    assert (second.state, second.started) == (SaveState.RUNNING, story.now)
    story.tick(20)
    assert second.state is SaveState.RUNNING, "its time began when it did"
    story.do(ev.SaveFailed(container, 1, "b", "disk full"))
    assert [run.state for run in story.state.saves[1:3]] == [SaveState.FAILED, SaveState.RUNNING]


def test_saves_that_wait_end_with_the_programs() -> None:
    story = Story(worker=1)
    container = story.all_running()["worker:0"]
    saving(story, "a")
    story.do(ev.SaveRequested("b", "bob"))
    story.do(ev.KillRequested("bob"))
    assert story.state.saves[1].failures == ["the job is ending"]
    story.exits(container, 143)
    story.leave_all()
    assert story.finish().state is AppState.KILLED


def test_saves_by_themselves_are_due_at_intervals_and_never_two_at_once() -> None:
    story = Story(worker=1, limits=Limits(save_interval=60))
    container = story.all_running()["worker:0"]
    story.tick(59)
    assert not story.of(act.BeginSave)
    story.tick(2)
    assert len(story.of(act.BeginSave)) == 1
    story.do(ev.SaveRequested("a", "u", (), SaveTrigger.INTERVAL))
    story.tick(200)
    assert len(story.of(act.BeginSave)) == 1
    run = story.state.saves[0]
    assert run.skipped > 1 and run.trigger is SaveTrigger.INTERVAL
    (note,) = run.notes
    assert "left out" in note and "every 60 s (xlearning.interresult.upload.interval)" in note
    assert len([a for a in story.of(act.Record) if a.kind == "save-skipped"]) == 1
    story.do(ev.SaveDone(container, 1, "a", 1, 1), ev.SaveSealed("a"))
    story.tick(61)
    assert len(story.of(act.BeginSave)) == 2
    story.do(ev.KillRequested("bob"))
    story.tick(100)
    assert len(story.of(act.BeginSave)) == 2


def test_nothing_saves_by_itself_without_output_or_interval() -> None:
    for outputs, interval in ((False, 60.0), (True, 0.0)):
        story = Story(worker=1, outputs=outputs, limits=Limits(save_interval=interval))
        story.all_running()
        story.tick(1000)
        assert not story.of(act.BeginSave)


def test_a_save_of_nothing_has_failed_and_says_so() -> None:
    story = Story(ps=1, worker=1)
    tasks = story.all_running()
    run = saving(story)
    for container in tasks.values():
        story.do(ev.SaveDone(container, 1, "2026", 0, 0))
    assert (run.state, run.done, run.finished) == (SaveState.FAILED, 2, story.now)
    assert run.failures == ["nothing was saved: no program has written to ./model yet"]
    assert not story.of(act.SealSave), "an empty folder is not marked as whole"
    run = saving(story, "2027")
    story.do(ev.SaveDone(tasks["ps:0"], 1, "2027", 0, 0), ev.SaveFailed(tasks["worker:0"], 1, "2027", "full"))
    assert run.state is SaveState.FAILED, "an empty part is none"


def test_a_save_of_nothing_by_itself_is_dropped() -> None:
    story = Story(ps=1, worker=1)
    tasks = story.all_running()
    story.do(ev.SaveRequested("a", "u", (), SaveTrigger.INTERVAL))
    waiting = ev.SaveRequested("b", "bob")
    story.do(waiting, *(ev.SaveDone(container, 1, "a", 0, 0) for container in tasks.values()))
    (run,) = story.state.saves
    assert (run.save_id, run.state) == ("b", SaveState.RUNNING), "what waits goes on"
    assert not story.of(act.SealSave)
    for container in tasks.values():
        story.do(ev.SaveDone(container, 1, "b", 1, 1))
    story.do(ev.SaveSealed("b"), ev.SaveRequested("c", "u", (), SaveTrigger.INTERVAL))
    story.do(ev.SaveDone(tasks["ps:0"], 1, "c", 0, 0), ev.SaveFailed(tasks["worker:0"], 1, "c", "disk full"))
    assert [(run.save_id, run.state) for run in story.state.saves[1:]] == [("c", SaveState.FAILED)]


@pytest.mark.parametrize(
    ("changed", "bases"), [(True, ["", "", "a", "a", "d"]), (False, ["", "", "", "", ""])]
)
def test_the_base_of_a_save_is_the_newest_whole_one(changed: bool, bases: list[str]) -> None:
    story = Story(worker=2, limits=Limits(save_changed=changed))
    tasks = story.all_running()
    first, second = tasks["worker:0"], tasks["worker:1"]

    def ends(save_id: str, *, whole: bool, **more: int) -> None:
        saving(story, save_id)
        story.do(ev.SaveDone(first, 1, save_id, **more))
        last = ev.SaveDone(second, 1, save_id, 1, 1) if whole else ev.SaveFailed(second, 1, save_id, "full")
        story.do(last, ev.SaveSealed(save_id))

    ends("0", whole=False, files=1)
    ends("a", whole=True, files=1)
    ends("b", whole=False, files=1)
    ends("d", whole=True, kept=4)
    saving(story, "e")
    asked = {action.save_id: action.base for action in story.of(act.Save)}
    assert list(asked.values()) == bases
    assert len(story.of(act.Save)) == 10


def test_what_a_save_shares_with_older_ones_is_told() -> None:
    story = Story(worker=2, limits=Limits(save_changed=True))
    tasks = story.all_running()
    run = saving(story, "b")
    story.do(ev.SaveDone(tasks["worker:0"], 1, "b", 0, 0, 3, 0, ("a",)))
    story.do(ev.SaveDone(tasks["worker:1"], 1, "b", 0, 0, 1, 2))
    (seal,) = story.of(act.SealSave)
    assert [(part.role, part.kept, part.changed, part.needs) for part in seal.parts] == [
        ("worker", 3, 0, ("a",)),
        ("worker", 1, 2, ()),
    ]
    story.do(ev.SaveSealed("b"))
    assert run.state is SaveState.SUCCEEDED, "unchanged files are files too"
    assert run.notes == [
        "worker:1: 2 files changed whenever they were copied",
        "4 files are unchanged and lie in earlier saves, see _manifest.json",
    ]


@pytest.mark.parametrize("answered", [True, False])
def test_the_job_waits_a_moment_until_older_saves_are_deleted(answered: bool) -> None:
    story = Story(worker=1, limits=Limits(saves_kept=1))
    container = story.all_running()["worker:0"]
    saving(story, "a")
    story.do(ev.SaveDone(container, 1, "a", 1, 1))
    story.do(ev.ProcessExited(container, 1, 0), ev.UploadDone(container, 1, 1, 1))
    story.do(ev.SaveSealed("a"), ev.CommitDone(), ev.ContainerCompleted(container, 0, ""))
    assert story.state.phase is Phase.RELEASING
    if answered:
        story.do(ev.SavesPruned(("0",)))
    else:  # the file system hangs
        story.tick(Limits().release + 1)
    assert story.of(act.Finish)


def test_older_saves_are_deleted_after_a_whole_one_only() -> None:
    story = Story(worker=1, limits=Limits(saves_kept=1))
    container = story.all_running()["worker:0"]
    first = saving(story, "a")
    story.do(ev.SaveDone(container, 1, "a", 1, 1))
    assert not story.of(act.PruneSaves), "it is not marked yet"
    story.do(ev.SaveSealed("a"))
    saving(story, "b")
    story.do(ev.SaveDone(container, 1, "b", 1, 1), ev.SaveSealFailed("b", "HDFS is gone"))
    saving(story, "c")
    story.do(ev.SaveDone(container, 1, "c", 1, 1), ev.SaveSealed("c"))
    pruned = [(action.save_id, action.paths) for action in story.of(act.PruneSaves)]
    assert pruned == [("a", first.paths), ("c", first.paths)]
    for gone in (("a", "of an earlier attempt"), ()):
        story.do(ev.SavesPruned(gone, ("x: denied",)))
    assert first.state is SaveState.SUCCEEDED
    assert first.notes == ["deleted, because newer saves are whole (xlearning.interresult.keep)"]
    assert [run.notes for run in story.state.saves[1:]] == [[], []]
    assert story.state.notes == ["x: denied"], "told once"
    before = len(story.of(act.Record))
    story.do(ev.SavesPruned())
    assert len(story.of(act.Record)) == before


def saving(story: Story, save_id: str = "2026") -> SaveRun:
    story.do(ev.SaveRequested(save_id, "bob", ("file:///out/interResult_2026",)))
    run: SaveRun = story.state.saves[-1]
    assert run.state is SaveState.RUNNING
    return run


def test_words_say_why_no_save_can_begin() -> None:
    assert "no --output" in Story(worker=1, outputs=False).machine.save_refusal()
    story = Story(ps=1, worker=2)
    assert "do not run yet" in story.machine.save_refusal()
    tasks = story.all_running()
    assert story.machine.save_refusal() == ""
    saving(story)
    assert story.machine.save_refusal() == "", "another one would wait"
    story.do(ev.KillRequested("bob"))
    assert "ending" in story.machine.save_refusal()
    for container in tasks.values():
        story.exits(container, 143)
    assert "ended" in story.machine.save_refusal()


def test_a_save_is_of_those_that_upload() -> None:
    workers = dataclasses.replace(GANG, upload_roles=frozenset(("worker",)))
    story = Story(workers, ps=1, worker=2)
    tasks = story.all_running()
    saving(story)
    assert {a.container_id for a in story.of(act.Save)} == {tasks["worker:0"], tasks["worker:1"]}


def test_a_save_without_anybody_who_could_save_has_words() -> None:
    story = Story(dataclasses.replace(GANG, upload_roles=frozenset(("worker",))), ps=1, worker=1)
    story.exits(story.all_running()["worker:0"])
    assert story.state.phase is Phase.RUNNING
    assert "no program that has output runs" in story.machine.save_refusal()


def test_a_worker_that_ends_while_it_saves_is_a_missing_part() -> None:
    story = Story(Rules(), worker=3)
    tasks = story.all_running()
    run = saving(story)
    story.do(ev.SaveDone(tasks["worker:2"], 1, "2026", 4, 40))
    story.exits(tasks["worker:0"], 0)
    assert "worker:0" in run.failures[0] and "ended before its part was saved" in run.failures[0]
    story.do(ev.SaveDone(tasks["worker:0"], 1, "2026", 1, 1))
    story.do(ev.ContainerLost(tasks["worker:1"], "node lost"))
    assert "node lost" in run.failures[1]
    assert (run.state, run.done, run.files, run.size) == (SaveState.PARTIAL, 1, 4, 40)
    assert not story.of(act.SealSave)
    (last,) = [a for a in story.of(act.Record) if a.kind == "save-ended"]
    assert last.data["state"] == "PARTIAL" and last.data["by"] == "bob"


def test_a_save_that_takes_too_long_fails_for_those_who_did_not_answer() -> None:
    story = Story(worker=2, limits=Limits(save=30))
    tasks = story.all_running()
    run = saving(story)
    assert {a.timeout for a in story.of(act.Save)} == {30}
    story.do(ev.SaveDone(tasks["worker:0"], 1, "2026", 1, 1))
    story.tick(36)
    assert run.state is SaveState.PARTIAL
    assert len(run.failures) == 1 and "within 30 s" in run.failures[0]
    assert saving(story, "2027").containers == 2


def test_our_own_stall_does_not_count_against_a_save() -> None:
    story = Story(worker=1, limits=Limits(save=30))
    story.all_running()
    run = saving(story)
    story.now += 300
    story.do(ev.Tick(story.now))
    assert run.state is SaveState.RUNNING


def test_a_lost_order_to_save_is_repeated() -> None:
    story = Story(worker=1)
    container = story.all_running()["worker:0"]
    run = saving(story)
    story.do(ev.StreamEnded(container, 1))
    new = story.do(ev.AgentReconnected(container, 9, f"token-{container}"))
    assert [a.save_id for a in new if isinstance(a, act.Save)] == ["2026"]
    story.do(ev.SaveFailed(container, 1, "2026", "disk full"), ev.SaveFailed(container, 1, "2026", "again"))
    assert run.state is SaveState.FAILED
    assert [line.rpartition(": ")[2] for line in run.failures] == ["disk full"]


def test_a_save_whose_mark_fails_is_not_whole() -> None:
    story = Story(worker=1)
    container = story.all_running()["worker:0"]
    run = saving(story)
    story.do(ev.SaveDone(container, 1, "2026", 1, 1))
    story.do(ev.SaveSealFailed("2026", "HDFS is gone"))
    assert run.state is SaveState.PARTIAL and "HDFS is gone" in run.failures[0]


def test_the_end_waits_a_little_for_the_mark_of_a_save() -> None:
    story = Story(worker=1)
    container = story.all_running()["worker:0"]
    run = saving(story)
    story.do(ev.SaveDone(container, 1, "2026", 1, 1), ev.KillRequested("bob"))
    story.exits(container, 143)
    story.leave_all()
    assert not story.of(act.Finish)
    story.do(ev.SaveSealed("2026"))
    assert story.finish().state is AppState.KILLED
    assert run.state is SaveState.SUCCEEDED


def test_only_the_newest_saves_are_kept() -> None:
    story = Story(worker=1)
    container = story.all_running()["worker:0"]
    for n in range(60):
        saving(story, f"s{n:02d}")
        story.do(ev.SaveFailed(container, 1, f"s{n:02d}", "no"))
    shown = snapshot(story.machine, input_files={}, page_url="").saves
    assert [run.id for run in shown][:2] == ["s59", "s58"] and len(shown) == 50


def test_retry_is_asked_for_while_attempts_remain() -> None:
    story = Story(worker=1, outputs=False, limits=Limits(max_attempts=2))
    story.exits(story.all_running()["worker:0"], 1)
    story.leave_all()
    assert story.finish().retry


@pytest.mark.parametrize("event", [ev.InputFailed("nothing there"), ev.LaunchFailed("no answer")])
def test_what_fails_again_does_not_earn_a_second_attempt(event: ev.Event) -> None:
    story = Story(worker=1, limits=Limits(max_attempts=2))
    story.do(event)
    story.tick(5)
    assert (story.finish().state, story.finish().retry) == (AppState.FAILED, False)


LINGERING = dataclasses.replace(GANG, service_grace=30.0, service_limit="xlearning.x")


def test_services_may_end_by_themselves_after_the_others() -> None:
    story = Story(LINGERING, ps=1, worker=1, outputs=False)
    tasks = story.all_running()
    story.exits(tasks["worker:0"])
    story.tick(20)
    assert not story.of(act.StopProcess)
    story.exits(tasks["ps:0"])
    story.leave_all()
    assert story.finish().state is AppState.SUCCEEDED


def test_services_that_do_not_end_in_that_time_fail_the_job() -> None:
    story = Story(LINGERING, ps=1, worker=1, outputs=False)
    tasks = story.all_running()
    story.exits(tasks["worker:0"])
    story.tick(31)
    assert [a.container_id for a in story.of(act.StopProcess)] == [tasks["ps:0"]]
    story.exits(tasks["ps:0"], 143)
    story.leave_all()
    assert story.finish().state is AppState.FAILED
    assert story.finish().reason == "ps:0 still ran 30 s (xlearning.x) after the others had ended"


@pytest.mark.parametrize("lost", [False, True])
def test_services_that_fail_in_that_time_fail_the_job(lost: bool) -> None:
    story = Story(LINGERING, ps=1, worker=1, outputs=False)
    tasks = story.all_running()
    story.exits(tasks["worker:0"])
    if lost:
        story.do(ev.ContainerCompleted(tasks["ps:0"], -100, "node lost"))
    else:
        story.exits(tasks["ps:0"], 3, ("disk full",))
    story.leave_all()
    finish = story.finish()
    assert finish.state is AppState.FAILED
    assert "ps:0" in finish.reason


COORDINATED = dataclasses.replace(GANG, chief_decides=True)


def test_workers_of_a_coordinator_are_stopped_when_it_is_done() -> None:
    story = Story(COORDINATED, ps=1, worker=2, outputs=False)
    tasks = story.all_running()
    story.exits(tasks["worker:0"])
    stopped = [a.container_id for a in story.of(act.StopProcess)]
    assert sorted(stopped) == sorted((tasks["ps:0"], tasks["worker:1"]))
    for container in stopped:
        story.exits(container, 143)
    story.leave_all()
    assert story.finish().state is AppState.SUCCEEDED


def test_a_worker_of_a_coordinator_dies() -> None:
    story = Story(COORDINATED, ps=1, worker=2, outputs=False)
    tasks = story.all_running()
    story.exits(tasks["worker:1"], 3, ("no space",))
    for container in [a.container_id for a in story.of(act.StopProcess)]:
        story.exits(container, 143)
    story.leave_all()
    finish = story.finish()
    assert finish.state is AppState.FAILED
    assert "worker:1" in finish.reason


def test_waiting_for_the_cluster_may_be_bounded() -> None:
    story = Story(worker=2, limits=Limits(allocate=10))
    story.grant("worker")
    story.do(ev.InputListed(()))
    story.tick(20)
    assert "1 worker" in story.finish().reason


def test_a_member_that_reserves_no_ports_is_replaced_and_named_at_last() -> None:
    story = Story(worker=2, limits=Limits(register=30, start_retry=1))
    first, second = story.grant("worker"), story.grant("worker")
    story.do(ev.InputListed(()), ev.PortsReady(first, 1, (1,)))
    story.tick(31)
    assert [a.container_id for a in story.of(act.KillContainer)] == [second]
    third = story.grant("worker")
    story.tick(31)
    story.do(ev.ContainerCompleted(second, None, ""), ev.ContainerCompleted(third, None, ""))
    story.leave_all()
    reason = story.finish().reason
    assert "worker containers do not start (2 tried)" in reason
    assert "worker:1 reserved no ports within 30 s" in reason


def test_a_worker_that_has_succeeded_counts_whole() -> None:
    story = Story(worker=2, outputs=False)
    tasks = story.all_running()
    story.do(ev.Beat(tasks["worker:0"], 1, 0.5))
    story.exits(tasks["worker:1"])
    assert snapshot(story.machine, input_files={}, page_url="").progress == 0.75


def test_who_failed_first_is_known_while_something_of_it_is_left() -> None:
    """The other one fails for want of it, leaves nothing behind, and so is told to be over before it."""
    story = Story(worker=2)
    tasks = story.all_running()
    first, other = tasks["worker:1"], tasks["worker:0"]
    story.do(ev.ProcessFailing(first, 1, 3, ("no space left",), "exit code 3"))
    assert story.state.reason == f"worker:1 ({first} on h): exit code 3"
    assert [a.container_id for a in story.of(act.StopProcess)] == [other]
    story.exits(other, 1, ("connection closed by peer",))
    story.do(ev.ProcessExited(first, 1, 3, ("no space left", "late words"), "exit code 3"))
    story.leave_all()
    assert story.finish().state is AppState.FAILED
    ends = {c.id: (c.state, c.last_lines) for c in story.state.containers.values()}
    assert ends == {
        first: (ContainerState.FAILED, ("no space left",)),
        other: (ContainerState.STOPPED, ()),
    }


LOST = ("[rank0]: RuntimeError: [gloo/transport/tcp/pair.cc:561] Connection closed by peer [10.0.0.1]:20401",)


def test_who_fails_for_want_of_another_is_not_named_in_its_place() -> None:
    story = Story(worker=3, outputs=False)
    tasks = story.all_running()
    story.exits(tasks["worker:2"], 1, LOST)
    story.tick(1)
    assert story.state.outcome is None
    story.exits(tasks["worker:0"], 1, LOST)
    story.exits(tasks["worker:1"], 1, ("KeyError: 'price'",))
    assert story.state.reason.startswith("worker:1 ")
    order = sorted(story.state.containers.values(), key=lambda c: c.ended)
    assert [str(c.task) for c in order] == ["worker:1", "worker:0", "worker:2"]


def test_a_container_that_is_lost_is_the_cause_of_lost_connections() -> None:
    story = Story(worker=2, outputs=False)
    tasks = story.all_running()
    story.exits(tasks["worker:0"], 1, LOST)
    story.do(ev.ContainerCompleted(tasks["worker:1"], 137, "for its memory"))
    assert story.state.reason.startswith("worker:1 ")


def test_a_lost_connection_that_nobody_explains_is_the_reason() -> None:
    story = Story(worker=2, outputs=False)
    tasks = story.all_running()
    story.exits(tasks["worker:0"], 1, LOST)
    story.tick(2)
    assert not story.of(act.StopProcess)
    story.tick(2)
    assert story.state.reason.startswith("worker:0 ")
    assert story.of(act.StopProcess)
    both = Story(worker=2, outputs=False)
    for container in both.all_running().values():
        both.exits(container, 1, LOST)
    assert both.state.reason.startswith("worker:0 ")


def test_what_a_failed_program_has_left_is_not_waited_for_without_end() -> None:
    story = Story(worker=1, outputs=False)
    (worker,) = story.all_running().values()
    story.do(ev.ProcessFailing(worker, 1, 3, (), "exit code 3"))
    story.tick(59)
    assert not story.of(act.StopProcess)
    story.tick(20)
    assert story.of(act.StopProcess) and story.of(act.KillContainer)
    assert story.state.containers[worker].state is ContainerState.FAILED
    assert story.finish().reason.endswith("exit code 3")


def test_a_kill_does_not_wait_for_what_a_failed_program_has_left() -> None:
    story = Story(Rules(), worker=3, outputs=False)
    tasks = story.all_running()
    story.do(ev.ProcessFailing(tasks["worker:2"], 1, 3, (), "exit code 3"), ev.KillRequested("me", ""))
    assert {a.container_id for a in story.of(act.StopProcess)} == set(tasks.values())
    assert story.state.outcome is AppState.KILLED
    failed = Story(worker=1, outputs=False)
    (worker,) = failed.all_running().values()
    failed.do(ev.ProcessFailing(worker, 1, 3, (), "exit code 3"))
    assert not failed.of(act.StopProcess)
    failed.do(ev.KillRequested("me", ""), ev.ProcessExited(worker, 1, 3, (), "exit code 3"))
    assert failed.of(act.StopProcess)
    failed.leave_all()
    assert failed.finish().reason.endswith("exit code 3")
    assert failed.state.containers[worker].state is ContainerState.FAILED


def test_independent_workers_that_are_failing_are_counted() -> None:
    story = Story(Rules(), worker=3)
    tasks = story.all_running()
    for name, ended in (("worker:2", False), ("worker:0", True)):
        event = ev.ProcessExited if ended else ev.ProcessFailing
        assert story.state.outcome is None
        story.do(event(tasks[name], 1, 3, (), "exit code 3"))
    assert story.state.reason.startswith("2 of 3 workers failed; first: worker:2")


def test_a_program_that_is_stopped_is_not_failing() -> None:
    story = Story(worker=1, outputs=False)
    (worker,) = story.all_running().values()
    story.do(ev.KillRequested("me", ""))
    story.do(ev.ProcessFailing(worker, 1, 143), ev.ProcessExited(worker, 1, 143))
    assert story.state.containers[worker].state is ContainerState.STOPPED


def test_a_lost_node_makes_a_talking_agent_stop() -> None:
    story = Story(worker=2, outputs=False)
    tasks = story.all_running()
    story.do(ev.ContainerLost(tasks["worker:0"], "node lost"))
    assert tasks["worker:0"] in [a.container_id for a in story.of(act.KillContainer)]


@pytest.mark.parametrize(
    "event",
    [
        ev.Tick(1.5),
        ev.AgentRegistered("c", 1, "t", 1, "h"),
        ev.ProcessExited("c", 2, 3, ("a", "b"), "why"),
        ev.PortsReady("c", 1, (1, 2)),
        ev.Beat("c", 1, None, 1.0, 5),
        ev.ContainerCompleted("c", None, "d"),
    ],
)
def test_events_survive_being_recorded(event: ev.Event) -> None:
    assert ev.decode(ev.encode(event)) == event


def test_an_unknown_recorded_event_is_an_error() -> None:
    check: Callable[[dict[str, str]], ev.Event] = ev.decode
    with pytest.raises(ValueError, match="Nonsense"):
        check({"event": "Nonsense"})


@pytest.mark.parametrize("again", [True, False])
def test_a_stop_from_outside_may_be_followed_by_another_attempt(again: bool) -> None:
    story = Story(worker=1)
    story.do(ev.AmStopped("the back end stopped the job", again=again))
    story.tick(30)
    assert (story.finish().state, story.finish().retry) == (AppState.KILLED, again)


def test_what_a_program_that_succeeded_leaves_to_say_is_a_note_of_the_job() -> None:
    story = Story(worker=24)
    for number, container in enumerate(story.all_running().values()):
        story.do(ev.ProcessExited(container, 1, 0, (), "some words" if number else ""))
    notes = story.state.notes
    assert len(notes) == 21 and "more containers have notes" in notes[-1]
    assert notes[0] == "worker:1: some words"
