"""Save Model: who saves, what became of each part, and when a save is over."""

from __future__ import annotations

from xlearning.am.core import events as ev
from xlearning.am.core.actions import BeginSave, PruneSaves, Save, SealSave
from xlearning.am.core.state import Container, Phase, SaveRun
from xlearning.am.core.tasks import SavedPart
from xlearning.am.core.turn import Turn
from xlearning.job import ContainerState, OutputStrategy, SaveState, SaveTrigger

_KEPT = 50  # results
_BEFORE = (Phase.ALLOCATING, Phase.PREPARING)


def refusal(turn: Turn) -> str:
    """Why no save can be asked for now, in words; empty when one can."""
    waiting = len(turn.state.queued())
    if waiting >= turn.limits.saves_waiting:
        run = turn.state.saving()
        which = f"save {run.save_id} is running" if run else "another one begins"
        return f"{which}, and {waiting} more wait for its end"
    return _hindrance(turn)


def _hindrance(turn: Turn) -> str:
    """Why no save can begin now, but for one that runs; empty when one can."""
    state = turn.state
    if not turn.job.outputs:
        return "the job has no --output, so there is nothing to save"
    if turn.job.output_strategy is OutputStrategy.STREAM:
        return "the output is what the programs write to their standard output: it is published at the end"
    if state.phase in _BEFORE:
        return "the programs do not run yet"
    if state.phase is not Phase.RUNNING:
        return "the programs have ended" if state.phase is not Phase.STOPPING else "the job is ending"
    if not _savers(turn):
        return "no program that has output runs at the moment"
    return ""


def _savers(turn: Turn) -> list[Container]:
    containers = turn.state.containers.values()
    return [c for c in containers if c.state is ContainerState.RUNNING and turn.uploads(c)]


def requested(turn: Turn, event: ev.SaveRequested) -> None:
    state = turn.state
    if any(run.save_id == event.save_id for run in state.saves):
        return
    why = refusal(turn)
    run = SaveRun(event.save_id, event.paths, event.by, state.now, event.trigger)
    state.saves.append(run)
    turn.record("save", id=run.save_id, by=run.by, paths=list(run.paths), trigger=run.trigger.value)
    if why:
        # whoever asked was told that it begins, so its end must be seen too
        run.failures.append(why)
        turn.end_save(run)
    else:
        begin_queued(turn)
    del state.saves[:-_KEPT]


def begin_queued(turn: Turn) -> None:
    """Begin what waits once nothing else runs; end it when the job is past that."""
    for run in turn.state.queued():
        why = _hindrance(turn)
        if why:
            run.failures.append(why)
            turn.end_save(run)
        elif turn.state.saving() is None:
            _begin(turn, run)


def repeat_by_itself(turn: Turn) -> None:
    """Ask for a save whenever the time between two has passed and programs run."""
    state, interval = turn.state, turn.limits.save_interval
    if not interval or state.phase is not Phase.RUNNING or not turn.job.outputs:
        return
    if state.save_at is None:
        state.save_at = state.now + interval
    if state.now < state.save_at:
        return
    state.save_at = state.now + interval
    run = state.saving()
    if run is not None:
        _skip(turn, run)
    elif not _hindrance(turn):
        turn.do(BeginSave())


def _skip(turn: Turn, run: SaveRun) -> None:
    run.skipped += 1
    if run.skipped == 1:
        words = f"a save by itself was left out meanwhile: one is due every {turn.limits.save_interval:g} s"
        run.notes.append(f"{words} (xlearning.interresult.upload.interval)")
        turn.record("save-skipped", running=run.save_id)


def _begin(turn: Turn, run: SaveRun) -> None:
    savers = _savers(turn)
    run.state, run.started = SaveState.RUNNING, turn.state.now
    turn.changed = True
    run.pending, run.containers = {c.id for c in savers}, len(savers)
    if turn.limits.save:
        run.end_by = turn.state.now + turn.limits.save + turn.limits.save_margin
    for container in savers:
        _send(turn, container, run)


def repeat(turn: Turn, container: Container) -> None:
    """Order again what a container has not answered."""
    run = turn.state.saving()
    if run is not None and container.id in run.pending:
        _send(turn, container, run)


def _send(turn: Turn, container: Container, run: SaveRun) -> None:
    assert container.task is not None
    whole = (other.save_id for other in reversed(turn.state.saves) if other.state is SaveState.SUCCEEDED)
    base = next(whole, "") if turn.limits.save_changed else ""
    turn.do(Save(container.id, container.task, run.save_id, turn.limits.save, base))


def part_ended(turn: Turn, container: Container, event: ev.SaveDone | ev.SaveFailed) -> None:
    run = turn.state.saving()
    if run is None or run.save_id != event.save_id or container.id not in run.pending:
        return
    if isinstance(event, ev.SaveFailed):
        turn.lose_part(container, event.reason or "it gave no reason")
        return
    turn.leave_save(container, run)
    run.done += 1
    run.files, run.size = run.files + event.files, run.size + event.size
    task = container.task
    assert task is not None
    amounts = (event.files, event.size, event.kept, event.changed)
    run.parts.append(SavedPart(container.id, task.role, task.index, *amounts, event.needs))
    turn.record("save-part", id=run.save_id, container=container.id, files=event.files, size=event.size)
    if event.changed:
        run.notes.append(f"{container.name()}: {event.changed} files changed whenever they were copied")
    if run.pending:
        return
    if run.done < run.containers:
        turn.end_save(run)
    elif run.files or any(part.kept for part in run.parts):
        _seal(turn, run)
    else:
        _end_empty(turn, run)


def _seal(turn: Turn, run: SaveRun) -> None:
    run.sealing = True
    kept = sum(part.kept for part in run.parts)
    if kept:
        run.notes.append(f"{kept} files are unchanged and lie in earlier saves, see _manifest.json")
    turn.do(SealSave(run.save_id, run.paths, tuple(run.parts)))


def _end_empty(turn: Turn, run: SaveRun) -> None:
    if run.trigger is SaveTrigger.INTERVAL:
        # nobody waits for it, and nothing is wrong before the first checkpoint
        turn.state.saves.remove(run)
        turn.record("save-dropped", id=run.save_id)
        return
    folders = ", ".join(dict.fromkeys(f"./{output.local}" for output in turn.job.outputs))
    run.failures.append(f"nothing was saved: no program has written to {folders} yet")
    turn.end_save(run)


def sealed(turn: Turn, event: ev.SaveSealed | ev.SaveSealFailed) -> None:
    run = turn.state.saving()
    if run is None or run.save_id != event.save_id or not run.sealing:
        return
    if isinstance(event, ev.SaveSealFailed):
        run.failures.append(f"all parts are there, but it could not be marked as whole: {event.reason}")
    turn.end_save(run)
    if run.state is SaveState.SUCCEEDED and turn.limits.saves_kept:
        turn.state.pruning += 1
        turn.do(PruneSaves(run.save_id, run.paths))


def pruned(turn: Turn, event: ev.SavesPruned) -> None:
    """Older saves were deleted, or could not be."""
    turn.state.pruning = max(0, turn.state.pruning - 1)
    for run in turn.state.saves:
        if run.save_id in event.gone:
            run.notes.append("deleted, because newer saves are whole (xlearning.interresult.keep)")
    turn.state.notes += [problem for problem in event.problems if problem not in turn.state.notes]
    if event.gone or event.problems:
        turn.record("saves-pruned", gone=list(event.gone), problems=list(event.problems))


def judge(turn: Turn) -> None:
    """End a save that has taken too long."""
    run = turn.state.saving()
    if run is None or run.end_by is None or turn.state.now <= run.end_by:
        return
    words = f"no answer within {turn.limits.save:g} s (xlearning.interresult.upload.timeout)"
    for container_id in sorted(run.pending):
        turn.lose_part(turn.state.containers[container_id], words)
    if not run.state.final:
        run.failures.append(f"it could not be marked as whole within {turn.limits.save:g} s")
        turn.end_save(run)
