"""The machine's state as people see it."""

from __future__ import annotations

from dataclasses import replace

from xlearning.am.core.machine import Machine
from xlearning.am.core.state import Container, Phase, SaveRun
from xlearning.config.confidential import hide_words
from xlearning.job import (
    CHIEF,
    WORKER,
    AppState,
    ContainerState,
    ContainerView,
    InputView,
    SaveView,
    Snapshot,
)


def snapshot(
    machine: Machine,
    *,
    input_files: dict[tuple[str, int], int],
    page_url: str,
    notes: tuple[str, ...] = (),
) -> Snapshot:
    """The job as it stands.

    Parameters
    ----------
    machine : Machine
    input_files : dict
        (role, index) -> number of input files that it reads.
    page_url : str
        Where users find the page; empty while there is none.
    notes : tuple of str
        What else a person should read.
    """
    job, state = machine.job, machine.state
    memory = {role.name: role.memory_mb << 20 for role in job.roles}
    containers = sorted(state.containers.values(), key=_order)
    views = tuple(_view(c, memory.get(c.role, 0), input_files) for c in containers)
    return Snapshot(
        app_id=job.app_id,
        app_name=job.app_name,
        app_type=job.app_type,
        user=job.user,
        attempt=state.attempt,
        state=_app_state(state.phase, state.outcome),
        phase=state.phase.value,
        reason=state.reason,
        version=state.version,
        submitted=job.submitted,
        started=state.started,
        finished=state.finished,
        progress=_progress(views),
        command=hide_words(job.command),
        roles=job.roles,
        containers=views,
        inputs=state.inputs or tuple(InputView(i.local, i.patterns, 0, 0) for i in job.inputs),
        input_strategy=job.input_strategy,
        outputs=job.outputs,
        output_strategy=job.output_strategy,
        board=replace(state.board, enabled=job.board.enabled),
        page_url=page_url,
        saves=tuple(_save(run) for run in reversed(state.saves)),
        save_note=machine.save_refusal(),
        retry=state.retry,
        notes=(*notes, *state.notes),
    )


def _save(run: SaveRun) -> SaveView:
    return SaveView(
        id=run.save_id,
        paths=run.paths,
        state=run.state,
        by=run.by,
        started=run.started,
        finished=run.finished,
        containers=run.containers,
        done=run.done,
        files=run.files,
        size=run.size,
        failures=tuple(run.failures),
        trigger=run.trigger,
        notes=tuple(run.notes),
    )


def _app_state(phase: Phase, outcome: AppState | None) -> AppState:
    if phase is Phase.FINISHED and outcome is not None:
        return outcome
    return AppState.SUBMITTED if phase is Phase.ALLOCATING else AppState.RUNNING


def _order(container: Container) -> tuple[int, str, int, str]:
    task = container.task
    role = task.role if task else (WORKER if container.role == CHIEF else container.role)
    return (0 if role == WORKER else 1, role, task.index if task else 1 << 30, container.id)


def _progress(views: tuple[ContainerView, ...]) -> float | None:
    """Mean over all workers, silent ones counting 0 until they have succeeded; None while all are silent."""
    workers = [v for v in views if v.role == WORKER and v.index is not None]
    if not any(v.progress is not None for v in workers):
        return None
    done = (1.0 if v.state is ContainerState.SUCCEEDED else v.progress or 0.0 for v in workers)
    return sum(done) / len(workers)


def _view(container: Container, memory: int, input_files: dict[tuple[str, int], int]) -> ContainerView:
    task = container.task
    return ContainerView(
        id=container.id,
        role=task.role if task else (WORKER if container.role == CHIEF else container.role),
        index=task.index if task else None,
        generation=container.generation,
        host=container.host,
        state=container.state,
        reason=container.reason,
        chief=bool(task and task.chief),
        exit_code=container.exit_code,
        started=container.started,
        finished=container.finished,
        ended=container.ended,
        progress=container.progress,
        cpu_percent=container.cpu_percent,
        memory_bytes=container.memory_bytes,
        gpus=container.gpus,
        memory_limit_bytes=memory,
        input_files=input_files.get((task.role, task.index), 0) if task else 0,
        fetched_files=container.fetched_files,
        fetched_bytes=container.fetched_bytes,
        uploaded_files=container.uploaded_files,
        uploaded_bytes=container.uploaded_bytes,
        transfer=container.transfer,
        log_url=container.log_url,
        last_lines=container.last_lines,
    )
