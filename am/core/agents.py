"""What agents report. Messages of an old generation or of a container whose work is over change nothing."""

from __future__ import annotations

import dataclasses

from xlearning.am.core import events as ev
from xlearning.am.core import saves
from xlearning.am.core.actions import (
    Accept,
    Launch,
    Prepare,
    Refuse,
    ReleaseContainer,
    StopProcess,
    Upload,
)
from xlearning.am.core.state import Container
from xlearning.am.core.turn import Turn
from xlearning.job import AppState, ContainerState, TransferView

_BY_SIGNAL = (128 + 9, 128 + 15)  # exit codes of who was ended by KILL or TERM
_MOST_NOTES = 20
_MORE_NOTES = "more containers have notes about their ends: see their agent.log"


def registered(turn: Turn, event: ev.AgentRegistered) -> None:
    container = turn.state.containers.get(event.container_id)
    if event.attempt != turn.state.attempt:
        turn.do(Refuse(event.stream, f"attempt {event.attempt} is over"))
    elif container is None:
        turn.do(Refuse(event.stream, f"unknown container {event.container_id}"))
    elif container.session:
        turn.do(Refuse(event.stream, f"container {event.container_id} is registered already"))
    elif container.state is not ContainerState.GRANTED:
        turn.do(Refuse(event.stream, f"container {event.container_id} is not needed: {container.reason}"))
    else:
        container.session, container.stream = event.session, event.stream
        container.heard, container.register_by = turn.state.now, None
        container.host = event.host or container.host
        turn.do(Accept(container.id, event.stream, event.session))
        turn.set(container, ContainerState.REGISTERED)


def reconnected(turn: Turn, event: ev.AgentReconnected) -> None:
    container = turn.state.containers.get(event.container_id)
    if container is None or not container.session or container.session != event.session:
        turn.do(Refuse(event.stream, f"the session of {event.container_id} is over"))
    elif container.killed or container.gone:
        turn.do(Refuse(event.stream, f"{event.container_id} was given up"))
    else:
        container.stream, container.heard = event.stream, turn.state.now
        container.reconnect_by = None
        turn.do(Accept(container.id, event.stream, event.session))
        _repeat_order(turn, container)


def _repeat_order(turn: Turn, container: Container) -> None:
    """An order may have been lost with the old stream; agents take a repeated one for what it is."""
    task, state = container.task, container.state
    if state.final and container.released:
        turn.do(ReleaseContainer(container.id, "done"))
    if task is None:
        return
    if state is ContainerState.PREPARING:
        turn.do(Prepare(container.id, task, turn.rules.ports.get(task.role, 0)))
    elif state is ContainerState.LAUNCHING:
        turn.do(Launch(container.id, task, turn.state.cluster_map()))
    elif state is ContainerState.STOPPING:
        grace = turn.limits.stop_grace
        turn.do(StopProcess(container.id, task.generation, grace, container.reason))
    elif state is ContainerState.UPLOADING:
        turn.do(Upload(container.id, task))
    saves.repeat(turn, container)


def stream_ended(turn: Turn, event: ev.StreamEnded) -> None:
    container = turn.state.containers.get(event.container_id)
    if container is None or container.stream != event.stream:
        return
    container.stream = 0
    if not container.state.final:
        container.reconnect_by = turn.state.now + turn.limits.reconnect


def stopped(turn: Turn, event: ev.AgentStopped) -> None:
    container = turn.state.containers.get(event.container_id)
    if container is None or event.generation != container.generation:
        return
    if not container.state.final:
        turn.lose(container, "its agent left before the work was done")
    container.gone = True


def current(turn: Turn, event: ev.AgentEvent) -> Container | None:
    """The container that a message is about, if it may still speak."""
    container = turn.state.containers.get(event.container_id)
    if container is None or container.state.final or not container.session:
        return None
    container.heard = turn.state.now
    return container if event.generation == container.generation else None


def beat(turn: Turn, event: ev.Beat) -> None:
    container = current(turn, event)
    if container is None:
        return
    if event.progress is not None:
        container.progress = min(1.0, max(0.0, event.progress))
    container.cpu_percent, container.memory_bytes = event.cpu_percent, event.memory_bytes
    container.gpus = event.gpus
    container.memory_peak = max(container.memory_peak, event.memory_bytes)


def ports_ready(turn: Turn, event: ev.PortsReady) -> None:
    container = current(turn, event)
    if container and container.state is ContainerState.PREPARING:
        container.ports, container.ip, container.ports_ready = event.ports, event.ip, True
        container.prepare_by = None


def fetch_progressed(turn: Turn, event: ev.FetchProgressed | ev.FetchDone) -> None:
    container = current(turn, event)
    if container is None:
        return
    container.fetched_files, container.fetched_bytes = event.files, event.size
    container.transfer = _transfer("input", event) if isinstance(event, ev.FetchProgressed) else None


def _transfer(what: str, event: ev.FetchProgressed | ev.UploadProgressed) -> TransferView:
    return TransferView(what, event.files, event.size, event.total_files, event.total_size, event.rate)


def fetch_failed(turn: Turn, event: ev.FetchFailed) -> None:
    container = current(turn, event)
    if container is None:
        return
    if container.state is ContainerState.PREPARING:
        turn.lose(container, f"it could not prepare itself: {event.reason}")
        return
    if not container.busy:
        return
    if container.stop_sent:
        turn.set(container, ContainerState.STOPPED)
    else:
        turn.set(container, ContainerState.FAILED, f"it could not be prepared: {event.reason}")
    turn.release(container, "done")


def process_started(turn: Turn, event: ev.ProcessStarted) -> None:
    container = current(turn, event)
    if container and container.state is ContainerState.LAUNCHING:
        container.started = turn.state.now
        turn.set(container, ContainerState.RUNNING)


def process_failing(turn: Turn, event: ev.ProcessFailing) -> None:
    """The job is judged at once: others may fail for want of this one before it is told to be over."""
    container = current(turn, event)
    if container is None or not container.busy or container.stop_sent or container.failure:
        return
    container.failure = _why(turn, container, event)
    container.exit_code, container.last_lines = event.exit_code, event.last_lines
    container.finished = turn.state.now
    turn.number(container)
    if turn.awaited(container):
        turn.spoil(container.describe_end())


def process_exited(turn: Turn, event: ev.ProcessExited) -> None:
    container = current(turn, event)
    if container is None or not container.busy:
        return
    container.stop_by = container.stop_after = None
    if container.failure:
        if turn.limits.publish_failed and turn.uploads(container):
            _upload(turn, container)
        else:
            _end(turn, container)
        return
    container.exit_code, container.finished = event.exit_code, turn.state.now
    if event.exit_code == 0 and event.reason and not container.stop_sent:
        _note(turn, container, event.reason)
    if container.stop_sent and turn.state.outcome is not AppState.SUCCEEDED:
        if turn.publishes_failure() and turn.uploads(container):
            _upload(turn, container)
        else:
            turn.set(container, ContainerState.STOPPED)
            turn.release(container, "stopped")
    elif event.exit_code != 0 and not container.stop_sent:
        container.last_lines = event.last_lines
        reason = _why(turn, container, event)
        if turn.limits.publish_failed and turn.uploads(container):
            container.failure = reason
            turn.number(container)
            _upload(turn, container)
        else:
            turn.set(container, ContainerState.FAILED, reason)
            turn.release(container, "done")
        if turn.awaited(container):
            turn.spoil(container.describe_end())
    elif turn.uploads(container):
        _upload(turn, container)
    else:
        turn.set(container, ContainerState.SUCCEEDED)
        turn.release(container, "done")


def _why(turn: Turn, container: Container, event: ev.ProcessFailing | ev.ProcessExited) -> str:
    """Why a program failed, in words."""
    note = turn.memory_note(container) if event.exit_code in _BY_SIGNAL else ""
    return note or event.reason or f"exited with code {event.exit_code}"


def _note(turn: Turn, container: Container, words: str) -> None:
    """What has to be known of a program that succeeded; of many programs, not from each of them."""
    notes = turn.state.notes
    if len(notes) < _MOST_NOTES:
        notes.append(f"{container.name()}: {words}")
    elif _MORE_NOTES not in notes:
        notes.append(_MORE_NOTES)


def _upload(turn: Turn, container: Container) -> None:
    assert container.task is not None
    turn.set(container, ContainerState.UPLOADING)
    turn.do(Upload(container.id, container.task))


def upload_progressed(turn: Turn, event: ev.UploadProgressed) -> None:
    container = current(turn, event)
    if container is None:
        return
    if event.save:
        run = turn.state.saving()
        if run is not None and container.id in run.pending:  # else it comes late
            container.transfer = _transfer("save", event)
    elif container.state in (ContainerState.RUNNING, ContainerState.UPLOADING):
        container.uploaded_files, container.uploaded_bytes = event.files, event.size
        container.transfer = _transfer("output", event)


def upload_done(turn: Turn, event: ev.UploadDone) -> None:
    container = current(turn, event)
    if container and container.state is ContainerState.UPLOADING:
        container.uploaded, container.stored = True, event.places
        container.uploaded_files, container.uploaded_bytes = event.files, event.size
        _end(turn, container)


def _end(turn: Turn, container: Container) -> None:
    """The final state of a container whose output is on its place, or will never be."""
    failure, container.failure = container.failure, ""
    if failure:
        turn.set(container, ContainerState.FAILED, failure)
    elif container.stop_sent and turn.state.outcome is not AppState.SUCCEEDED:
        turn.set(container, ContainerState.STOPPED)
    else:
        turn.set(container, ContainerState.SUCCEEDED)
    turn.release(container, "done")


def upload_failed(turn: Turn, event: ev.UploadFailed) -> None:
    container = current(turn, event)
    if container is None or container.state is not ContainerState.UPLOADING:
        return
    lost = f"its output could not be uploaded: {event.reason}"
    container.failure = f"{container.failure}; {lost}" if container.failure else lost
    _end(turn, container)
    if container.task and container.task.role not in turn.rules.optional_roles:
        turn.spoil(container.describe_end())


def board_started(turn: Turn, event: ev.BoardStarted) -> None:
    if current(turn, event):
        turn.state.board = dataclasses.replace(turn.state.board, url=event.url, note=event.note)
        turn.record("board", url=event.url, note=event.note)


def save_ended(turn: Turn, event: ev.SaveDone | ev.SaveFailed) -> None:
    container = current(turn, event)
    if container:
        saves.part_ended(turn, container, event)
