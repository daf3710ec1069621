"""The machine: events in, actions out, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xlearning.am.core import agents, backend, clock, saves
from xlearning.am.core import events as ev
from xlearning.am.core.actions import Action
from xlearning.am.core.advance import advance
from xlearning.am.core.policies import Limits
from xlearning.am.core.state import Phase, State
from xlearning.am.core.turn import Turn
from xlearning.frameworks.base import Rules
from xlearning.job import BoardView, JobSpec

_HANDLERS: dict[type[ev.Event], Callable[[Turn, Any], None]] = {
    ev.Tick: clock.tick,
    ev.AttemptStarted: backend.attempt_started,
    ev.AlreadyCommitted: backend.already_committed,
    ev.InputListed: backend.input_listed,
    ev.InputFailed: backend.job_failed,
    ev.LaunchFailed: backend.job_failed,
    ev.ContainerGranted: backend.container_granted,
    ev.ContainerCompleted: backend.container_completed,
    ev.ContainerLost: backend.container_lost,
    ev.AllocationTimedOut: backend.allocation_timed_out,
    ev.BackendFailed: backend.backend_failed,
    ev.AgentRegistered: agents.registered,
    ev.AgentReconnected: agents.reconnected,
    ev.StreamEnded: agents.stream_ended,
    ev.AgentStopped: agents.stopped,
    ev.Beat: agents.beat,
    ev.PortsReady: agents.ports_ready,
    ev.FetchProgressed: agents.fetch_progressed,
    ev.FetchDone: agents.fetch_progressed,
    ev.FetchFailed: agents.fetch_failed,
    ev.ProcessStarted: agents.process_started,
    ev.ProcessFailing: agents.process_failing,
    ev.ProcessExited: agents.process_exited,
    ev.UploadProgressed: agents.upload_progressed,
    ev.UploadDone: agents.upload_done,
    ev.UploadFailed: agents.upload_failed,
    ev.SaveRequested: saves.requested,
    ev.SaveDone: agents.save_ended,
    ev.SaveFailed: agents.save_ended,
    ev.SaveSealed: saves.sealed,
    ev.SaveSealFailed: saves.sealed,
    ev.SavesPruned: saves.pruned,
    ev.BoardStarted: agents.board_started,
    ev.CommitDone: backend.commit_done,
    ev.CommitFailed: backend.commit_failed,
    ev.KillRequested: backend.kill_requested,
    ev.AmStopped: backend.am_stopped,
}

# These change only numbers that people look at; the next tick shows them.
_QUIET = (ev.Beat, ev.FetchProgressed, ev.UploadProgressed)


class Machine:
    """Decides everything about one attempt of one job.

    Parameters
    ----------
    job : JobSpec
    rules : Rules
        Of the application type.
    limits : Limits

    Examples
    --------
    >>> machine = Machine(job, rules, limits)                            # doctest: +SKIP
    >>> machine.handle(AttemptStarted(now=0.0, attempt=1, requested=False))  # doctest: +SKIP
    [RequestContainers(role='worker', count=2), ...]
    """

    def __init__(self, job: JobSpec, rules: Rules, limits: Limits) -> None:
        self.job, self.rules, self.limits = job, rules, limits
        board = job.board
        self.state = State(board=BoardView(board.enabled, log_dir=board.log_dir, program=board.program))
        self._stale = False

    def handle(self, event: ev.Event) -> list[Action]:
        """Take in one event; the actions are to be carried out in their order."""
        if self._finished():
            return []
        turn = Turn(self.job, self.rules, self.limits, self.state)
        _HANDLERS[type(event)](turn, event)
        advance(turn)
        if self._finished():
            return turn.actions
        if turn.changed or (self._stale and isinstance(event, ev.Tick)):
            turn.publish()
            self._stale = False
        elif isinstance(event, _QUIET):
            self._stale = True
        return turn.actions

    def save_refusal(self) -> str:
        """Why no save can begin now, in words; empty when one can."""
        return saves.refusal(Turn(self.job, self.rules, self.limits, self.state))

    def _finished(self) -> bool:
        return self.state.phase is Phase.FINISHED
