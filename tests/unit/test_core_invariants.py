"""The machine under arbitrary events: whatever happens, the invariants hold."""

from __future__ import annotations

import copy
import dataclasses

from hypothesis import event as note_reached
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from xlearning.am.core import actions as act
from xlearning.am.core import events as ev
from xlearning.am.core.machine import Machine
from xlearning.am.core.policies import Limits
from xlearning.am.core.state import Phase
from xlearning.frameworks.base import Rules
from xlearning.job import (
    AppState,
    ContainerState,
    InputView,
    JobSpec,
    OutputSpec,
    RoleSpec,
    SaveState,
    SaveTrigger,
)

LIMITS = Limits(
    register=20,
    silence=10,
    evaluator_grace=8,
    start_retry=2,
    max_attempts=2,
    allocate=0,
    save=15,
    save_interval=30,
    saves_waiting=2,
    saves_kept=1,
    save_changed=True,
)


def make_job(roles: dict[str, int], outputs: bool) -> JobSpec:
    return JobSpec(
        app_id="application_1_0001",
        app_name="n",
        app_type="TENSORFLOW",
        user="u",
        command=("true",),
        roles=tuple(RoleSpec(name, count, 512, 1) for name, count in roles.items()),
        staging="file:///s",
        default_fs="file://",
        outputs=(OutputSpec("file:///out", "model"),) if outputs else (),
    )


def make_rules(gang: bool) -> Rules:
    return Rules(gang=gang, ports={"ps": 1}, upload_roles=frozenset(("worker", "ps", "evaluator")))


AMOUNTS = st.sampled_from([(1, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 0), (2, 1, 1)])  # files, kept, changed


def part(container: str, generation: int, save_id: str, amounts: tuple[int, int, int]) -> ev.SaveDone:
    files, kept, changed = amounts
    needs = ("s0",) if kept else ()
    return ev.SaveDone(container, generation, save_id, files, 10 * files, kept, changed, needs)


class JobUnderFire(RuleBasedStateMachine):
    """Plays the world against one machine: back end, agents (honest, late, stale), people, time."""

    @initialize(
        ps=st.integers(0, 2),
        workers=st.integers(1, 3),
        chief=st.booleans(),
        evaluator=st.booleans(),
        gang=st.booleans(),
        outputs=st.booleans(),
        grace=st.sampled_from([0.0, 5.0]),
        publish=st.booleans(),
        attempts=st.integers(1, 2),
        requested=st.booleans(),
        head_start=st.sampled_from(["nothing", "running", "uploading", "ending"]),
    )
    def start(
        self,
        ps: int,
        workers: int,
        chief: bool,
        evaluator: bool,
        gang: bool,
        outputs: bool,
        grace: float,
        publish: bool,
        attempts: int,
        requested: bool,
        head_start: str,
    ) -> None:
        counts = {"ps": ps, "chief": int(chief), "worker": workers, "evaluator": int(evaluator)}
        self.job = make_job({name: n for name, n in counts.items() if n}, outputs)
        self.rules = dataclasses.replace(make_rules(gang), service_grace=grace)
        self.limits = dataclasses.replace(LIMITS, publish_failed=publish, max_attempts=attempts)
        self.machine = Machine(self.job, self.rules, self.limits)
        self.failing: set[str] = set()
        self.now = 1000.0
        self.serial = 0
        self.saves_asked = 0
        self.events: list[ev.Event] = []
        self.actions: list[act.Action] = []
        self.final: dict[str, ContainerState] = {}
        self.prepared: dict[tuple[str, int], int] = {}
        self.results: dict[str, dict[str, object]] = {}
        self.feed(ev.AttemptStarted(self.now, 1, requested))
        if head_start != "nothing":
            self.come_up()
        if head_start in ("uploading", "ending"):
            self.all_exit(0, role="worker")
        if head_start == "ending":
            self.all_uploads_end()
            self.all_exit(143, role="")

    def come_up(self) -> None:
        """A job without trouble up to the point where every program runs."""
        self.inputs_listed()
        self.bring_all(["h1"])
        self.all_ports()
        for c in list(self.state.containers.values()):
            self.feed(ev.ProcessStarted(c.id, c.generation, 77))

    # ---- helpers ----

    @property
    def state(self):  # type: ignore[no-untyped-def]
        return self.machine.state

    def feed(self, event: ev.Event) -> None:
        finished = self.state.phase is Phase.FINISHED
        self.events.append(event)
        new = self.machine.handle(event)
        assert not (finished and new), "no action after finish"
        self.actions += new
        if any(isinstance(action, act.BeginSave) for action in new):
            self.saves_asked += 1
            self.feed(ev.SaveRequested(f"by-itself-{self.saves_asked}", "u", (), SaveTrigger.INTERVAL))

    def some(self, data: st.DataObject, **having: object) -> str | None:
        ids = [
            c.id
            for c in self.state.containers.values()
            if all(getattr(c, name) == value for name, value in having.items())
        ]
        return data.draw(st.sampled_from(sorted(ids))) if ids else None

    def agent_event(self, data: st.DataObject, make) -> None:  # type: ignore[no-untyped-def]
        container = self.some(data)
        if container is not None:
            honest = self.state.containers[container].generation
            generation = data.draw(st.sampled_from([honest, honest, honest, max(0, honest - 1), honest + 1]))
            self.feed(make(container, generation))

    # ---- the world ----

    @rule(data=st.data())
    def grant(self, data: st.DataObject) -> None:
        self.serial += 1
        role = data.draw(st.sampled_from([role.name for role in self.job.roles]))
        host = data.draw(st.sampled_from(["h1", "h2"]))
        self.feed(ev.ContainerGranted(f"c{self.serial:03d}", role, host))

    @rule(data=st.data(), attempt=st.sampled_from([1, 1, 1, 2]))
    def register(self, data: st.DataObject, attempt: int) -> None:
        container = self.some(data, session="")
        if container is not None:
            self.serial += 1
            self.feed(ev.AgentRegistered(container, self.serial, f"token-{self.serial}", attempt, "h1"))

    @rule(data=st.data())
    def register_all(self, data: st.DataObject) -> None:
        """Bring the job forward: every missing container comes and registers."""
        self.bring_all(data.draw(st.lists(st.sampled_from(["h1", "h2"]), min_size=1, max_size=3)))

    def bring_all(self, hosts: list[str]) -> None:
        for role, count in sorted(self.state.pending.items()):
            for _ in range(count):
                self.serial += 1
                host = hosts[self.serial % len(hosts)]
                self.feed(ev.ContainerGranted(f"c{self.serial:03d}", role, host))
        for container in [c for c in self.state.containers.values() if c.state is ContainerState.GRANTED]:
            self.serial += 1
            self.feed(ev.AgentRegistered(container.id, self.serial, f"token-{self.serial}", 1, "h1"))

    @rule(data=st.data(), honest=st.booleans())
    def reconnect(self, data: st.DataObject, honest: bool) -> None:
        container = self.some(data)
        if container is not None:
            token = self.state.containers[container].session if honest else "guess"
            self.serial += 1
            self.feed(ev.AgentReconnected(container, self.serial, token))

    @rule(data=st.data())
    def stream_ends(self, data: st.DataObject) -> None:
        container = self.some(data)
        if container is not None:
            self.feed(ev.StreamEnded(container, self.state.containers[container].stream))

    @rule()
    def inputs_listed(self) -> None:
        self.feed(ev.InputListed((InputView("data", ("file:///d",), 2, 10),)))

    @rule(data=st.data(), count=st.integers(0, 1))
    def ports(self, data: st.DataObject, count: int) -> None:
        self.agent_event(data, lambda c, g: ev.PortsReady(c, g, tuple(range(20000, 20000 + count))))

    @rule()
    def all_ports(self) -> None:
        for c in list(self.state.containers.values()):
            self.feed(ev.PortsReady(c.id, c.generation, (20001,)))

    @rule(data=st.data())
    def fetch_progress(self, data: st.DataObject) -> None:
        self.agent_event(data, lambda c, g: ev.FetchProgressed(c, g, 1, 10))

    @rule(data=st.data())
    def fetch_fails(self, data: st.DataObject) -> None:
        self.agent_event(data, lambda c, g: ev.FetchFailed(c, g, "no such file"))

    @rule(data=st.data())
    def process_starts(self, data: st.DataObject) -> None:
        self.agent_event(data, lambda c, g: ev.ProcessStarted(c, g, 77))

    @rule(data=st.data(), code=st.sampled_from([0, 0, 0, 3, 143]))
    def process_exits(self, data: st.DataObject, code: int) -> None:
        self.agent_event(data, lambda c, g: ev.ProcessExited(c, g, code, ("last",)))

    @rule(data=st.data())
    def process_is_failing(self, data: st.DataObject) -> None:
        lines = (data.draw(st.sampled_from(["last", "Connection reset by peer"])),)
        self.agent_event(data, lambda c, g: ev.ProcessFailing(c, g, 3, lines))

    @rule(code=st.sampled_from([0, 143]), role=st.sampled_from(["worker", ""]))
    def all_exit(self, code: int, role: str) -> None:
        for c in [c for c in self.state.containers.values() if c.name().startswith(role)]:
            self.feed(ev.ProcessExited(c.id, c.generation, code))

    @rule(data=st.data(), fails=st.booleans())
    def upload_ends(self, data: st.DataObject, fails: bool) -> None:
        self.agent_event(
            data,
            lambda c, g: ev.UploadFailed(c, g, "disk full") if fails else ev.UploadDone(c, g, 1, 5, ("m",)),
        )

    @rule()
    def all_uploads_end(self) -> None:
        for c in list(self.state.containers.values()):
            self.feed(ev.UploadDone(c.id, c.generation, 1, 5, ("m",)))

    @rule(data=st.data(), progress=st.one_of(st.none(), st.floats(-1, 2)))
    def beat(self, data: st.DataObject, progress: float | None) -> None:
        self.agent_event(data, lambda c, g: ev.Beat(c, g, progress, 10.0, 1 << 20))

    @rule(seconds=st.sampled_from([0.25, 1.0, 1.9, 5.0, 40.0]), beating=st.booleans())
    def time_passes(self, seconds: float, beating: bool) -> None:
        self.now += seconds
        self.feed(ev.Tick(self.now))
        if beating:
            for c in list(self.state.containers.values()):
                if c.stream:
                    self.feed(ev.Beat(c.id, c.generation))

    @rule(data=st.data(), lost=st.booleans())
    def container_ends(self, data: st.DataObject, lost: bool) -> None:
        container = self.some(data)
        if container is not None:
            self.feed(
                ev.ContainerLost(container, "node lost")
                if lost
                else ev.ContainerCompleted(container, 1, "died")
            )

    @rule(data=st.data())
    def agent_leaves(self, data: st.DataObject) -> None:
        self.agent_event(data, lambda c, g: ev.AgentStopped(c, g))

    @rule()
    def save(self) -> None:
        refusal = self.machine.save_refusal()
        self.serial += 1
        self.feed(ev.SaveRequested(f"s{self.serial}", "bob", ("file:///out/interResult_1",)))
        if self.state.phase is not Phase.FINISHED:
            run = self.state.saves[-1]
            assert run.state.final == bool(refusal), "words and deeds agree"

    def some_save(self, data: st.DataObject) -> str:
        """Mostly the newest save, which is the one that runs if any does."""
        ids = [run.save_id for run in self.state.saves] or ["s0"]
        return data.draw(st.sampled_from([ids[-1], ids[-1], ids[-1], ids[0], "s0"]))

    @rule(data=st.data(), fails=st.booleans(), amounts=AMOUNTS)
    def save_part_ends(self, data: st.DataObject, fails: bool, amounts: tuple[int, int, int]) -> None:
        save = self.some_save(data)
        self.agent_event(
            data,
            lambda c, g: ev.SaveFailed(c, g, save, "x") if fails else part(c, g, save, amounts),
        )

    @rule(amounts=AMOUNTS)
    def all_parts_end(self, amounts: tuple[int, int, int]) -> None:
        for run in self.state.saves[-1:]:
            for container in sorted(run.pending):
                generation = self.state.containers[container].generation
                self.feed(part(container, generation, run.save_id, amounts))

    @rule(data=st.data(), fails=st.booleans())
    def seal_ends(self, data: st.DataObject, fails: bool) -> None:
        save = self.some_save(data)
        self.feed(ev.SaveSealFailed(save, "HDFS is gone") if fails else ev.SaveSealed(save))

    @rule(data=st.data(), problems=st.sampled_from([(), ("denied",)]))
    def saves_are_pruned(self, data: st.DataObject, problems: tuple[str, ...]) -> None:
        asked = [a.save_id for a in self.actions if isinstance(a, act.PruneSaves)]
        older = [run.save_id for run in self.state.saves if run.state.final]
        if asked and older:
            gone = data.draw(st.sets(st.sampled_from(older)))
            self.feed(ev.SavesPruned(tuple(sorted(gone)), problems))

    @rule(fails=st.booleans())
    @precondition(lambda self: any(isinstance(a, act.Commit) for a in self.actions))
    def commit_ends(self, fails: bool) -> None:
        self.feed(ev.CommitFailed("HDFS is gone") if fails else ev.CommitDone())

    @rule(which=st.integers(0, 6))
    def rare_things(self, which: int) -> None:
        self.feed(
            [
                ev.KillRequested("bob", "enough"),
                ev.AmStopped("node shuts down"),
                ev.InputFailed("gone"),
                ev.LaunchFailed("no answer"),
                ev.BackendFailed("get containers", "denied"),
                ev.AllocationTimedOut("worker", "queue full"),
                ev.BoardStarted("c001", 1, "http://h:1", ""),
            ][which]
        )

    # ---- the law ----

    @invariant()
    def one_live_generation_per_place(self) -> None:
        places = [(c.task.role, c.task.index) for c in self.state.live() if c.task]
        assert len(places) == len(set(places))
        for action in self.actions:
            if isinstance(action, act.Prepare) and action not in self.prepared.values():
                place = (action.task.role, action.task.index)
                assert action.task.generation <= self.state.generations[place]

    @invariant()
    def commit_at_most_once_and_never_after_failure(self) -> None:
        commits = [n for n, a in enumerate(self.actions) if isinstance(a, act.Commit)]
        assert len(commits) <= 1
        for n in commits:
            outcomes = [a.data["state"] for a in self.actions[:n] if getattr(a, "kind", "") == "outcome"]
            failed = outcomes[-1:] == [AppState.FAILED.value]
            assert outcomes[-1:] == [AppState.SUCCEEDED.value] or (failed and self.limits.publish_failed)
        if self.state.outcome in (AppState.KILLED,):
            assert not commits

    @invariant()
    def every_commit_holds_only_whole_uploads(self) -> None:
        for action in self.actions:
            if isinstance(action, act.Commit):
                for part in action.uploaded:
                    container = self.state.containers[part.container_id]
                    assert container.uploaded
                    assert container.state is ContainerState.SUCCEEDED or self.limits.publish_failed

    @invariant()
    def terminal_states_stay(self) -> None:
        for c in self.state.containers.values():
            if c.id in self.final:
                assert c.state is self.final[c.id]
            elif c.state.final:
                self.final[c.id] = c.state

    @invariant()
    def who_was_failing_has_failed_and_each_end_has_its_number(self) -> None:
        self.failing |= {c.id for c in self.state.containers.values() if c.failure}
        for name in self.failing:
            container = self.state.containers[name]
            assert container.state not in (ContainerState.SUCCEEDED, ContainerState.STOPPED)
        ends = [c.ended for c in self.state.containers.values() if c.ended]
        assert len(ends) == len(set(ends))

    @invariant()
    def finish_comes_last_and_every_container_was_given_back(self) -> None:
        finishes = [a for a in self.actions if isinstance(a, act.Finish)]
        assert len(finishes) <= 1
        if finishes:
            assert self.actions[-1] is finishes[0]
            given = {c.id for c in self.state.containers.values() if c.gone or c.released or c.killed}
            assert given == set(self.state.containers)
            assert finishes[0].state is self.state.outcome

    @invariant()
    def a_success_has_every_needed_worker(self) -> None:
        for action in self.actions:
            if isinstance(action, act.Finish) and action.state is AppState.SUCCEEDED and self.rules.gang:
                needed = [s for s in self.state.slots if s.role == "worker"]
                done = {
                    (c.task.role, c.task.index)
                    for c in self.state.containers.values()
                    if c.task and c.state is ContainerState.SUCCEEDED
                }
                assert {(s.role, s.index) for s in needed} <= done

    @invariant()
    def saves_are_one_at_a_time_and_their_results_stay(self) -> None:
        running = [run for run in self.state.saves if run.state is SaveState.RUNNING]
        queued = self.state.queued()
        assert len(running) <= 1 and len(self.state.saves) <= 50
        assert not ((running or queued) and self.state.phase is Phase.FINISHED)
        assert len(queued) <= LIMITS.saves_waiting and not (queued and not running)
        assert not (queued and self.state.phase is not Phase.RUNNING)
        for run in running:
            assert run.pending or run.sealing
            assert run.sealing == (run.done == run.containers)
        sealed = [a.save_id for a in self.actions if isinstance(a, act.SealSave)]
        assert len(sealed) == len(set(sealed))
        for run in self.state.saves:
            assert run.done + len(run.pending) <= run.containers
            assert run.files == sum(part.files for part in run.parts) and len(run.parts) == run.done
            if run.state is SaveState.SUCCEEDED:
                assert run.files or any(part.kept for part in run.parts), "an empty save is never whole"
                assert run.done == run.containers > 0 and run.save_id in sealed and not run.failures
            if run.state.final:
                assert not run.pending and not run.sealing and run.finished is not None
                result = dataclasses.asdict(run) | {"notes": []}  # of its deletion, later
                assert self.results.setdefault(run.save_id, result) == result

    @invariant()
    def only_whole_saves_are_built_upon_and_make_others_go(self) -> None:
        whole = [run.save_id for run in self.state.saves if run.state is SaveState.SUCCEEDED]
        for action in self.actions:
            if isinstance(action, act.PruneSaves):
                assert action.save_id in whole
            if isinstance(action, act.Save) and action.base:
                assert action.base in whole and action.base != action.save_id

    def teardown(self) -> None:
        if hasattr(self, "machine"):
            for run in self.state.saves:
                note_reached(f"save {run.state.value}, {run.containers} containers")
            note_reached(f"phase {self.state.phase.value}, outcome {self.state.outcome}")
            self.replay_gives_the_same_state()
            self.the_job_ends_when_it_is_killed()
            self.a_kill_is_quick_though_programs_hang()

    def replay_gives_the_same_state(self) -> None:
        machine = Machine(self.job, self.rules, self.limits)
        again = [a for event in self.events for a in machine.handle(ev.decode(ev.encode(event)))]
        assert dataclasses.asdict(machine.state) == dataclasses.asdict(self.state)
        assert again == self.actions

    def the_job_ends_when_it_is_killed(self) -> None:
        """From every state: a kill, then time (and the commit's answer), and the job is over."""
        machine = copy.deepcopy(self.machine)
        machine.handle(ev.KillRequested("the test"))
        now = self.now
        for _ in range(60):
            now += 1
            machine.handle(ev.Tick(now))
            machine.handle(ev.CommitDone())
        assert machine.state.phase is Phase.FINISHED, machine.state.phase

    def a_kill_is_quick_though_programs_hang(self) -> None:
        """Agents answer all the time, and uploads end; no program does by itself."""
        machine = copy.deepcopy(self.machine)
        machine.handle(ev.KillRequested("the test"))
        now = self.now
        for _ in range(20):
            now += 1
            machine.handle(ev.Tick(now))
            for container in list(machine.state.containers.values()):
                if container.stream:
                    machine.handle(ev.Beat(container.id, container.generation))
                machine.handle(ev.UploadDone(container.id, container.generation, 1, 5, ("m",)))
            machine.handle(ev.CommitDone())
        assert machine.state.phase is Phase.FINISHED, machine.state.phase


JobUnderFire.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestJobUnderFire = JobUnderFire.TestCase
