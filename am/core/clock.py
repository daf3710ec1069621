"""Time-outs. A gap between two ticks was our own stall and is nobody else's fault."""

from __future__ import annotations

from xlearning.am.core import events as ev
from xlearning.am.core import saves
from xlearning.am.core.state import Container, Phase, State
from xlearning.am.core.turn import Turn
from xlearning.job import AppState, ContainerState

_START = "xlearning.localresource.timeout"
_DEADLINES = ("register_by", "prepare_by", "reconnect_by", "stop_by", "stop_after")


def tick(turn: Turn, event: ev.Tick) -> None:
    state = turn.state
    gap = event.now - state.now
    if gap <= 0:
        return
    if gap > turn.limits.stall:
        _extend(state, gap)
    state.now = event.now
    for container in list(state.containers.values()):
        _judge(turn, container)
    saves.judge(turn)
    saves.repeat_by_itself(turn)
    _judge_job(turn)


def _extend(state: State, gap: float) -> None:
    for container in state.containers.values():
        container.heard += gap
        for name in _DEADLINES:
            deadline = getattr(container, name)
            if deadline is not None:
                setattr(container, name, deadline + gap)
    if state.release_by is not None:
        state.release_by += gap
    run = state.saving()
    if run is not None and run.end_by is not None:
        run.end_by += gap
    state.stalled += gap


def _judge(turn: Turn, container: Container) -> None:
    now, limits = turn.state.now, turn.limits
    if container.state.final:
        return
    if container.register_by is not None and now > container.register_by:
        turn.lose(container, f"its agent did not report within {limits.register:g} s ({_START})")
    elif container.prepare_by is not None and now > container.prepare_by:
        turn.lose(container, f"{container.task} reserved no ports within {limits.register:g} s ({_START})")
    elif container.reconnect_by is not None and now > container.reconnect_by:
        turn.lose(container, "the connection to its agent broke and did not come back")
    elif container.session and now - container.heard > limits.silence:
        turn.lose(container, f"its agent has been silent for {limits.silence:g} s")
    elif container.stop_by is not None and now > container.stop_by:
        turn.kill(container, "it did not stop in time")
        turn.set(container, ContainerState.STOPPED, "ended by force: it did not stop in time")
        optional = container.task is not None and container.task.role in turn.rules.optional_roles
        if turn.uploads(container) and not optional:
            turn.spoil(f"{container.describe_end()}; its output is lost")
    elif container.stop_after is not None and now > container.stop_after:
        if turn.awaited(container):
            grace, limit = turn.rules.service_grace, turn.rules.service_limit
            named = f" ({limit})" if limit else ""
            turn.spoil(f"{container.task} still ran {grace:g} s{named} after the others had ended")
        turn.stop(container, "the training is over")


def _judge_job(turn: Turn) -> None:
    state, limits = turn.state, turn.limits
    lasted = state.now - state.started - state.stalled
    if state.phase is Phase.ALLOCATING and limits.allocate and lasted > limits.allocate:
        missing = ", ".join(f"{count} {role}" for role, count in sorted(state.pending.items()) if count)
        if missing:
            turn.end(
                AppState.FAILED,
                f"the cluster did not give {missing} within {limits.allocate:g} s; "
                "xlearning.allocate.timeout sets the limit",
            )
    if limits.job and state.phase is Phase.RUNNING and lasted > limits.job:
        turn.end(
            AppState.FAILED,
            f"the job ran longer than {limits.job:g} s (xlearning.job.exec.timeout)",
            retryable=False,
        )
