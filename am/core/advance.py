"""What follows from the state after each event: the barrier, launch, success, tear-down, the end."""

from __future__ import annotations

from xlearning.am.core import saves
from xlearning.am.core.actions import Commit, Finish, Launch, Prepare
from xlearning.am.core.policies import verdict
from xlearning.am.core.state import Container, Phase
from xlearning.am.core.tasks import Slot, Uploaded, fill
from xlearning.am.core.turn import Turn
from xlearning.job import WORKER, AppState, ContainerState, Task


def advance(turn: Turn) -> None:
    """Take every step that is due; each step leads to a later phase, so this ends."""
    while True:
        phase = turn.state.phase
        if phase is Phase.FINISHED:
            return
        saves.begin_queued(turn)
        _STEPS[phase](turn)
        if turn.state.phase is phase:
            return


def _registered(turn: Turn, request: str) -> list[Container]:
    return [
        c
        for c in turn.state.containers.values()
        if c.role == request and c.task is None and c.state is ContainerState.REGISTERED
    ]


def _allocating(turn: Turn) -> None:
    state = turn.state
    if state.inputs is None:
        return
    requests = {slot.request for slot in state.slots}
    ready = {request: _registered(turn, request) for request in requests}
    if any(len(ready[r]) < sum(s.request == r for s in state.slots) for r in requests):
        return
    filled = fill(state.slots, {r: [(c.host, c.id) for c in found] for r, found in ready.items()})
    for container_id, slot in sorted(filled.items()):
        _assign(turn, state.containers[container_id], slot)
    turn.enter(Phase.PREPARING)
    for container in [c for c in state.live() if c.task is None]:
        turn.set(container, ContainerState.STOPPED, "not needed")
        turn.release(container, "not needed")


def _assign(turn: Turn, container: Container, slot: Slot) -> None:
    state, place = turn.state, (slot.role, slot.index)
    state.generations[place] = state.generations.get(place, 0) + 1
    chief = turn.rules.has_chief and place == (WORKER, 0)
    container.task = Task(slot.role, slot.index, state.generations[place], chief)
    state.holders[place] = container.id
    container.prepare_by = state.now + turn.limits.register
    turn.set(container, ContainerState.PREPARING)
    turn.do(Prepare(container.id, container.task, turn.rules.ports.get(slot.role, 0)))


def _preparing(turn: Turn) -> None:
    state = turn.state
    for slot in state.slots:
        if (slot.role, slot.index) not in state.holders:
            spare = sorted(_registered(turn, slot.request), key=lambda c: (c.host, c.id))
            if spare:
                _assign(turn, spare[0], slot)
    if len(state.holders) < len(state.slots):
        return
    holders = [state.containers[holder] for holder in state.holders.values()]
    if not all(c.ports_ready for c in holders):
        return
    cluster = state.cluster_map()
    turn.enter(Phase.RUNNING)
    for container in holders:
        if container.task:
            turn.set(container, ContainerState.LAUNCHING)
            turn.do(Launch(container.id, container.task, cluster))


def _running(turn: Turn) -> None:
    since = turn.state.now - turn.limits.hearsay
    found = verdict(turn.rules, turn.state.containers.values(), since)
    if found is not None:
        if found.first is not None:
            turn.put_first(found.first)
        turn.end(AppState.SUCCEEDED if found.succeeded else AppState.FAILED, found.reason)


def _stopping(turn: Turn) -> None:
    state = turn.state
    succeeded = state.outcome is AppState.SUCCEEDED
    for container in state.live():
        grace = _grace(turn, container) if succeeded or container.failure else 0.0
        if container.busy and grace:
            if container.stop_after is None and not container.stop_sent:
                container.stop_after = state.now + grace
        elif container.busy:
            turn.stop(container, "the training is over" if succeeded else "the job has failed or was killed")
        elif container.state is not ContainerState.UPLOADING or not (succeeded or turn.publishes_failure()):
            turn.set(container, ContainerState.STOPPED)
            turn.release(container, "stopped")
    if state.live():
        return
    uploaded = _uploaded(turn)
    wanted = state.outcome is AppState.SUCCEEDED or (turn.publishes_failure() and uploaded)
    if wanted and turn.job.outputs and not state.commit_sent:
        state.commit_sent = True
        turn.enter(Phase.COMMITTING)
        turn.do(Commit(uploaded, "" if state.outcome is AppState.SUCCEEDED else state.reason))
    else:
        turn.enter(Phase.RELEASING)


def _grace(turn: Turn, container: Container) -> float:
    """Seconds that a container has to end by itself when the training is over."""
    task = container.task
    if container.failure:
        return turn.limits.failing_grace
    if task and task.role in turn.rules.optional_roles:
        return turn.limits.evaluator_grace
    return turn.rules.service_grace if task and turn.rules.serves(task) else 0.0


def _uploaded(turn: Turn) -> tuple[Uploaded, ...]:
    return tuple(Uploaded(c.id, c.stored) for c in turn.state.containers.values() if c.uploaded and c.task)


def _committing(turn: Turn) -> None:
    """Nothing follows by itself: `CommitDone` or `CommitFailed` ends this phase."""


def _releasing(turn: Turn) -> None:
    state = turn.state
    for container in state.containers.values():
        turn.release(container, "the job is over")
    if state.release_by is None:
        state.release_by = state.now + turn.limits.release
    left = [c for c in state.containers.values() if not c.gone]
    run = state.saving()
    # YARN tells the end of a killed container seconds late, and ends all of them with the application.
    killed_by = state.release_by - turn.limits.release + turn.limits.release_killed
    awaited = [c for c in left if not c.killed or state.now <= killed_by]
    if (awaited or run or state.pruning) and state.now <= state.release_by:
        return
    if run:
        run.failures.append("the job ended before it was marked as whole")
        turn.end_save(run)
    for container in left:
        turn.kill(container, "it did not leave in time")
    outcome = state.outcome or AppState.FAILED
    state.retry = state.stopped or (outcome is AppState.FAILED and turn.another_attempt())
    state.finished = state.now
    turn.enter(Phase.FINISHED)
    state.version += 1
    turn.do(Finish(outcome, state.reason, state.retry))


_STEPS = {
    Phase.ALLOCATING: _allocating,
    Phase.PREPARING: _preparing,
    Phase.RUNNING: _running,
    Phase.STOPPING: _stopping,
    Phase.COMMITTING: _committing,
    Phase.RELEASING: _releasing,
}
