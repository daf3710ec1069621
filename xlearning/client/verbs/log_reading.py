"""What the programs of a job have written, piece by piece, while it runs and afterwards."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xlearning.client.console import Console
from xlearning.client.verbs.applications import Found
from xlearning.client.verbs.log_choice import AM_ROLE, LogTarget, choose, known_targets
from xlearning.client.verbs.log_output import LogFile, LogReader, wanted_files
from xlearning.client.verbs.log_sources import NoSuchLogs, live_source, log_source
from xlearning.client.verbs.log_unstarted import never_any, nothing_to_read, told_of, told_of_job, unstarted
from xlearning.client.verbs.places import YarnPlace
from xlearning.client.verbs.standing import Standing, known_containers, standing
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import ClusterError, ClusterUnavailable, UsageError

_USUAL = ("stdout", "stderr")
_PAUSE = 1.0  # seconds between two looks at a log that is followed
_LOOK = 5.0  # seconds between two looks which containers there are


@dataclass(frozen=True)
class Wish:
    """Which logs are meant, see ``xl-submit logs --help``.

    Raises
    ------
    xlearning.errors.UsageError
        An index without its role, or a role beside a container.
    """

    role: str | None = None
    index: int | None = None
    container: str | None = None
    files: Sequence[str] = ()
    tail: int | None = None
    follow: bool = False

    def __post_init__(self) -> None:
        """Check what belongs together."""
        if self.index is not None and self.role is None:
            raise UsageError("--index counts within a role, and there is no --role", hint="add --role worker")
        if self.container is not None and self.role is not None:
            raise UsageError(
                "--container and --role both say which container is meant", hint="give one of them"
            )


@dataclass(frozen=True)
class Piece:
    """Some bytes of a log. ``several``: whether its file is one of several."""

    file: LogFile
    data: bytes
    several: bool


def read_logs(found: Found, wish: Wish, console: Console) -> Iterator[Piece | None]:
    """Pieces of logs; None where nothing more is to be had for the moment.

    Sentences about what is missing go to the console. Where nothing at all is there, nothing comes.

    Raises
    ------
    xlearning.errors.XLearningError
        There are none, or they cannot be read.
    """
    if wish.follow and not found.report.state.final:
        yield from _followed(found, wish, console)
    else:
        yield from _written(found, wish, console)


def _written(found: Found, wish: Wish, console: Console) -> Iterator[Piece | None]:
    stands = standing(found)
    usual = set(wish.files) <= set(_USUAL)
    if usual and wish.role != AM_ROLE and wish.container is None and never_any(stands):
        console.warn(told_of_job(stands))
        return
    targets = _targets(found, stands, wish, console)
    idle = unstarted(stands)
    unread = told_of(targets, idle, found.app_id) if usual else []
    if not usual or not nothing_to_read(targets, idle):
        yield from _stored(found, targets, wish, console, missing_is_told=bool(unread))
    for sentence in unread:
        console.warn(sentence)


def _stored(
    found: Found, targets: Sequence[LogTarget], wish: Wish, console: Console, *, missing_is_told: bool
) -> Iterator[Piece | None]:
    """What is kept of ended jobs. ``missing_is_told``: who calls says why nothing is there."""
    try:
        source = log_source(found, targets, _names(wish, targets))
    except NoSuchLogs as error:
        if missing_is_told:
            return
        if not wish.files:
            raise
        console.warn(str(error))
        return
    try:
        files, lacking = wanted_files(source, targets, wish.files, _USUAL)
        for sentence in lacking:
            console.warn(sentence)
        yield from _pieces(LogReader(source, wish.tail), files)
    finally:
        source.close()


def _pieces(reader: LogReader, files: Sequence[tuple[LogFile, int]]) -> Iterator[Piece]:
    for file, size in files:
        for data in reader.read(file, size):
            yield Piece(file, data, len(files) > 1)


def _followed(found: Found, wish: Wish, console: Console) -> Iterator[Piece | None]:
    """What grows until the job has ended. Containers that come later are read too."""
    source = live_source(found.place, found.app_id)
    reader = LogReader(source, wish.tail)
    targets: list[LogTarget] = []
    looked, waiting = float("-inf"), False
    while True:
        report = _report(found)
        try:
            if time.monotonic() - looked > _LOOK:
                now = Found(report, found.place)
                targets = _targets(now, standing(now), wish, console, quiet=True)
                looked = time.monotonic()
            files, lacking = wanted_files(source, targets, wish.files, _USUAL)
            yield from _pieces(reader, files)
        except UsageError as error:  # no such container yet
            lacking = []
            if report.state.final:
                raise
            if not waiting:
                console.info(error.message)
            waiting = True
        except ClusterUnavailable as error:
            lacking = [error.message]
        yield None
        if report.state.final:
            if lacking and isinstance(found.place, YarnPlace):
                console.info(
                    "the last lines may be missing: without --follow they are shown when YARN has them"
                )
            console.info(f"{found.app_id} has ended: {report.state.value}")
            return
        time.sleep(_PAUSE)


def _report(found: Found) -> ApplicationReport:
    """The newest report; the old one while the back end does not answer."""
    try:
        return found.place.report(found.app_id)
    except ClusterUnavailable:
        return found.report


def _targets(
    found: Found, stands: Standing, wish: Wish, console: Console, *, quiet: bool = False
) -> list[LogTarget]:
    notes = list[str]()
    yarn = stands.yarn
    if wish.role == AM_ROLE or (wish.container and not yarn):
        yarn = [one for one in known_containers(found, notes) if one.master or one in yarn]
    if not quiet:
        for note in notes:
            console.warn(note)
    known = known_targets(stands.snapshot, yarn, _masters(found.report))
    try:
        return choose(
            known,
            found.app_id,
            role=wish.role,
            index=wish.index,
            container=wish.container,
            ended=found.report.state.final,
        )
    except UsageError as error:
        if stands.notes and (not quiet or found.report.state.final):
            raise ClusterError(f"{error.message}: {'; '.join(stands.notes)}", hint=error.hint) from error
        raise


def _masters(report: ApplicationReport) -> list[str]:
    """The first container of every attempt is that of its ApplicationMaster."""
    number = report.app_id.removeprefix("application_")
    return [f"container_{number}_{attempt:02d}_000001" for attempt in range(1, report.attempt + 1)]


def _names(wish: Wish, targets: Sequence[LogTarget]) -> Sequence[str]:
    """Names of files that are needed at all; empty for all."""
    if wish.files:
        return wish.files
    return () if any(one.role == AM_ROLE for one in targets) else _USUAL
