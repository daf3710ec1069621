"""What the back end and the input listing report."""

from __future__ import annotations

from xlearning.am.core import events as ev
from xlearning.am.core.state import Container, Phase
from xlearning.am.core.tasks import slots
from xlearning.am.core.turn import Turn
from xlearning.cluster.exit_words import killed_by
from xlearning.job import AppState, ContainerState

_PARTLY = (
    "what there was of the output is published all the same (xlearning.failed.upload); it has no _SUCCESS"
)


def attempt_started(turn: Turn, event: ev.AttemptStarted) -> None:
    state = turn.state
    state.attempt, state.now, state.started = event.attempt, event.now, event.now
    state.slots = slots(turn.job.roles)
    for role in turn.job.roles:
        if role.instances and event.requested:
            state.pending[role.name] = role.instances
        elif role.instances:
            turn.request(role.name, role.instances)
    turn.record("phase", phase=state.phase.value, attempt=event.attempt)


def already_committed(turn: Turn, event: ev.AlreadyCommitted) -> None:
    turn.state.commit_sent = True
    if event.failure:
        turn.end(AppState.FAILED, event.failure, retryable=False)
    else:
        turn.end(AppState.SUCCEEDED, f"attempt {event.attempt} had finished; its commit was completed")


def input_listed(turn: Turn, event: ev.InputListed) -> None:
    turn.state.inputs = event.inputs
    turn.record("inputs", inputs={view.local: [view.files, view.size] for view in event.inputs})


def job_failed(turn: Turn, event: ev.InputFailed | ev.LaunchFailed) -> None:
    turn.end(AppState.FAILED, event.reason, retryable=False)


def container_granted(turn: Turn, event: ev.ContainerGranted) -> None:
    state = turn.state
    if event.container_id in state.containers:
        return
    container = Container(event.container_id, event.role, event.host, event.log_url)
    container.register_by = state.now + turn.limits.register
    state.containers[container.id] = container
    if state.outcome is not None or not state.pending.get(event.role):
        turn.set(container, ContainerState.STOPPED, "not needed")
        turn.release(container, "not needed")
        return
    state.pending[event.role] -= 1
    turn.set(container, ContainerState.GRANTED)


def container_completed(turn: Turn, event: ev.ContainerCompleted) -> None:
    container = turn.state.containers.get(event.container_id)
    if container is None or container.gone:
        return
    connected = container.stream != 0
    if not connected:
        container.gone = True
    if not container.state.final:
        code = "" if event.exit_code is None else f" with exit code {event.exit_code}"
        turn.lose(container, event.diagnostics or f"the container ended{code}")
    elif connected and not container.released:
        # The back end no longer knows it, but its agent still talks: nobody else will end it.
        turn.kill(container, "the back end says that this container has ended")
    container.gone = True
    turn.changed = True


def container_lost(turn: Turn, event: ev.ContainerLost) -> None:
    container = turn.state.containers.get(event.container_id)
    if container is None or container.gone:
        return
    turn.lose(container, event.diagnostics or "its node was lost")
    if container.stream != 0:
        turn.kill(container, "its node was lost")
    container.gone = True


def allocation_timed_out(turn: Turn, event: ev.AllocationTimedOut) -> None:
    turn.end(AppState.FAILED, f"no container for role {event.role}: {event.diagnostics}")


def backend_failed(turn: Turn, event: ev.BackendFailed) -> None:
    turn.end(AppState.FAILED, f"could not {event.call}: {event.reason}")


def commit_done(turn: Turn, event: ev.CommitDone) -> None:  # noqa: ARG001 - the table's signature
    if turn.state.phase is Phase.COMMITTING:
        turn.record("committed")
        if turn.state.outcome is AppState.FAILED:
            turn.state.notes.append(_PARTLY)
        turn.enter(Phase.RELEASING)


def commit_failed(turn: Turn, event: ev.CommitFailed) -> None:
    if turn.state.phase is Phase.COMMITTING:
        before = f"{turn.state.reason}; " if turn.state.outcome is AppState.FAILED else ""
        turn.state.outcome = AppState.FAILED
        turn.state.reason = f"{before}the output could not be committed: {event.reason}"
        turn.record("outcome", state=AppState.FAILED.value, reason=turn.state.reason)
        turn.enter(Phase.RELEASING)


def kill_requested(turn: Turn, event: ev.KillRequested) -> None:
    _kill(turn, killed_by(event.by, event.reason))


def am_stopped(turn: Turn, event: ev.AmStopped) -> None:
    undecided = turn.state.outcome is None or turn.state.phase is Phase.STOPPING
    turn.state.stopped = event.again and undecided and turn.state.outcome is not AppState.FAILED
    _kill(turn, event.reason)


def _kill(turn: Turn, reason: str) -> None:
    turn.end(AppState.KILLED, reason, retryable=False)
    turn.spoil(reason, AppState.KILLED)
    if turn.state.phase is Phase.STOPPING:
        for container in [c for c in turn.state.live() if c.failure]:
            turn.stop(container, reason)  # no grace for what a program that has failed left behind
