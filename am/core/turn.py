"""One call of the machine: the state, the job's rules, and the actions collected so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xlearning.am.core.actions import (
    Action,
    KillContainer,
    PublishSnapshot,
    Record,
    ReleaseContainer,
    RequestContainers,
    StopProcess,
)
from xlearning.am.core.policies import Limits, memory_note
from xlearning.am.core.state import Container, Phase, SaveRun, State
from xlearning.am.core.tasks import streams_output
from xlearning.frameworks.base import Rules
from xlearning.job import WORKER, AppState, ContainerState, JobSpec, OutputStrategy

_SHOWN_FAILURES, _SHOWN_WORDS = 10, 500  # parts of a save, characters
_SAVING = (ContainerState.RUNNING, ContainerState.STOPPING)


@dataclass
class Turn:
    """What every handler works with."""

    job: JobSpec
    rules: Rules
    limits: Limits
    state: State
    actions: list[Action] = field(default_factory=list)
    changed: bool = False

    def do(self, action: Action) -> None:
        self.actions.append(action)

    def record(self, kind: str, **data: Any) -> None:
        self.changed = True
        self.do(Record(kind, {"time": self.state.now, **data}))

    def enter(self, phase: Phase) -> None:
        self.state.phase = phase
        self.record("phase", phase=phase.value)

    def set(self, container: Container, state: ContainerState, reason: str = "") -> None:
        """Move a container to another state; a final state stays."""
        if container.state.final:
            return
        if state is ContainerState.STOPPED and container.failure:
            state, reason = ContainerState.FAILED, container.failure  # it had failed before it was stopped
        container.state, container.transfer = state, None
        if reason:
            container.reason = reason
        if state.final:
            container.finished = container.finished or self.state.now
            self.number(container)
            container.register_by = container.prepare_by = container.reconnect_by = None
            container.stop_by = container.stop_after = None
        self.record(
            "container",
            id=container.id,
            role=container.role,
            task=container.name(),
            generation=container.generation,
            host=container.host,
            state=state.value,
            reason=container.reason,
            exit_code=container.exit_code,
        )
        if state not in _SAVING:
            self.lose_part(container, reason or "its program ended before its part was saved")

    def number(self, container: Container) -> None:
        """Give a container that has ended its number in the order of their ends, once."""
        container.ended = container.ended or 1 + max(c.ended for c in self.state.containers.values())

    def put_first(self, container: Container) -> None:
        """Let a container count as the first that ended: others failed for want of it."""
        self.number(container)
        first = min((c for c in self.state.containers.values() if c.ended), key=lambda c: c.ended)
        container.ended, first.ended = first.ended, container.ended
        self.changed = True

    def lose_part(self, container: Container, reason: str) -> None:
        """The part of a container in the save that runs will not come."""
        run = self.state.saving()
        if run is None or container.id not in run.pending:
            return
        self.leave_save(container, run)
        line = f"{container.name()} ({container.id} on {container.host}): {reason}"
        if len(run.failures) < _SHOWN_FAILURES:
            run.failures.append(line[:_SHOWN_WORDS])
        self.record("save-part", id=run.save_id, container=container.id, reason=reason)
        if not run.pending:
            self.end_save(run)

    def leave_save(self, container: Container, run: SaveRun) -> None:
        """A container has no more to do with a save."""
        run.pending.discard(container.id)
        if container.transfer is not None and container.transfer.what == "save":
            container.transfer = None

    def end_save(self, run: SaveRun) -> None:
        """Nobody works on a save any more."""
        run.state, run.finished, run.sealing = run.verdict(), self.state.now, False
        self.record(
            "save-ended",
            id=run.save_id,
            state=run.state.value,
            by=run.by,
            paths=list(run.paths),
            containers=run.containers,
            done=run.done,
            files=run.files,
            size=run.size,
            failures=list(run.failures),
            trigger=run.trigger.value,
            started=run.started,
            notes=list(run.notes),
        )

    def end(self, outcome: AppState, reason: str, *, retryable: bool = True) -> None:
        """Decide the outcome, once. Once the commit has begun it cannot be changed from outside."""
        state = self.state
        if state.outcome is not None:
            return
        state.outcome, state.reason, state.retryable = outcome, reason, retryable
        self.record("outcome", state=outcome.value, reason=reason)
        self.enter(Phase.STOPPING)

    def spoil(self, reason: str, outcome: AppState = AppState.FAILED) -> None:
        """Take a success back before its commit: output that belongs to it is lost, or somebody kills."""
        state = self.state
        if state.outcome is AppState.SUCCEEDED and state.phase is Phase.STOPPING:
            state.outcome, state.reason = outcome, reason
            self.record("outcome", state=outcome.value, reason=reason)

    def request(self, role: str, count: int) -> None:
        self.state.pending[role] = self.state.pending.get(role, 0) + count
        self.do(RequestContainers(role, count))

    def release(self, container: Container, reason: str) -> None:
        """Let a container go whose process has ended, or that has none."""
        if container.released or container.killed or container.gone:
            return
        container.released = True
        self.do(ReleaseContainer(container.id, reason))

    def kill(self, container: Container, reason: str) -> None:
        if container.killed or container.gone:
            return
        container.killed = True
        self.do(KillContainer(container.id, reason))

    def stop(self, container: Container, reason: str) -> None:
        """Tell the agent to end the user process, and note by when it must have done so."""
        if container.stop_sent or not container.busy:
            return
        container.stop_sent = True
        container.stop_after = None
        container.stop_by = self.state.now + self.limits.stop_grace + self.limits.stop_margin
        self.set(container, ContainerState.STOPPING, reason)
        self.do(StopProcess(container.id, container.generation, self.limits.stop_grace, reason))

    def lose(self, container: Container, reason: str) -> None:
        """A container died, or fell silent, before its work was done."""
        if container.state.final:
            return
        placed = container.task
        if "memory" not in reason:
            reason = self.memory_note(container) or reason
        self.set(container, ContainerState.LOST, reason)
        container.session = ""
        self.kill(container, reason)
        if self.state.outcome is None and self.state.phase in (Phase.ALLOCATING, Phase.PREPARING):
            if placed is not None:
                self.state.holders.pop((placed.role, placed.index), None)
            self._replace(container, reason)
        elif self.uploads(container) and placed and placed.role not in self.rules.optional_roles:
            self.spoil(f"{container.describe_end()}; its output is lost")
        elif self.awaited(container):
            self.spoil(container.describe_end())

    def memory_note(self, container: Container) -> str:
        """See `policies.memory_note`."""
        role = self.job.role(container.role)
        return memory_note(container.role, container.memory_peak, role.memory_mb) if role else ""

    def _replace(self, container: Container, reason: str) -> None:
        role = container.role
        self.state.replaced[role] = self.state.replaced.get(role, 0) + 1
        if self.state.replaced[role] <= self.limits.start_retry:
            self.request(role, 1)
            return
        logs = f"; its logs: {container.log_url}" if container.log_url else ""
        self.end(
            AppState.FAILED,
            f"{role} containers do not start ({self.state.replaced[role]} tried): {reason}{logs}",
        )

    def awaited(self, container: Container) -> bool:
        """Whether it may end by itself once the others are done, and then has to end well."""
        task = container.task
        return bool(task and self.rules.service_grace and self.rules.serves(task))

    def uploads(self, container: Container) -> bool:
        """Whether the output of this container is wanted."""
        task = container.task
        if task is None or not self.job.outputs:
            return False
        if self.job.output_strategy is OutputStrategy.STREAM:
            return streams_output(self.job, task)
        if self.job.output_index is not None:
            return task.role == WORKER and task.index == self.job.output_index
        return task.role in self.rules.upload_roles

    def another_attempt(self) -> bool:
        """Whether another attempt follows if this one fails."""
        return self.state.retryable and self.state.attempt < self.limits.max_attempts

    def publishes_failure(self) -> bool:
        """Whether what there is of the output is wanted although the job has failed for good."""
        failed = self.state.outcome is AppState.FAILED and not self.state.stopped
        return self.limits.publish_failed and failed and not self.another_attempt()

    def publish(self) -> None:
        self.state.version += 1
        self.do(PublishSnapshot())
