"""``xl-submit logs``: what the programs of a job have written, while it runs and afterwards."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from xlearning.client.answers import Bytes
from xlearning.client.codes import EXIT_JOB, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.verbs.applications import Found, find_application
from xlearning.client.verbs.log_choice import AM_ROLE, LogTarget, choose, known_targets
from xlearning.client.verbs.log_output import LogPrinter, wanted_files
from xlearning.client.verbs.log_sources import LiveLogs, LocalLogs, LogSource, NoSuchLogs, log_source
from xlearning.client.verbs.places import Places, YarnPlace
from xlearning.client.verbs.standing import standing, yarn_containers
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import ClusterError, ClusterUnavailable, UsageError

_USUAL = ("stdout", "stderr")
_EXIT_PIPE = 141  # as of a program that was ended by SIGPIPE
_PAUSE = 1.0  # seconds between two looks at a log that is followed
_LOOK = 5.0  # seconds between two looks which containers there are


@dataclass(frozen=True)
class Wish:
    """What the command line asks for, see ``xl-submit logs --help``."""

    role: str | None
    index: int | None
    container: str | None
    files: Sequence[str]
    tail: int | None
    follow: bool


def run(places: Places, console: Console, *, app_id: str, wish: Wish) -> int:
    """Write logs to standard output; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        There are none, or they cannot be read.
    """
    if wish.index is not None and wish.role is None:
        raise UsageError("--index counts within a role, and there is no --role", hint="add --role worker")
    if wish.container is not None and wish.role is not None:
        raise UsageError("--container and --role both say which container is meant", hint="give one of them")
    found, out = find_application(app_id, places), Bytes()
    if wish.follow and not found.report.state.final:
        code = _follow(found, wish, out, console)
    else:
        code = _show(found, wish, out, console)
    out.flush()
    return _EXIT_PIPE if out.gone else code


def _show(found: Found, wish: Wish, out: Bytes, console: Console) -> int:
    targets = _targets(found, wish, console)
    names = _names(wish, targets)
    try:
        source = log_source(found, targets, names)
    except NoSuchLogs as error:
        if not wish.files:
            raise
        console.warn(str(error))
        return EXIT_JOB
    try:
        return _print_all(source, targets, wish, out, console)
    finally:
        source.close()


def _print_all(
    source: LogSource, targets: Sequence[LogTarget], wish: Wish, out: Bytes, console: Console
) -> int:
    files, lacking = wanted_files(source, targets, wish.files, _USUAL)
    for sentence in lacking:
        console.warn(sentence)
    printer = LogPrinter(source, out, headings=len(files) > 1, tail=wish.tail)
    for file, size in files:
        printer.show(file, size)
    return EXIT_OK if files else EXIT_JOB


def _follow(found: Found, wish: Wish, out: Bytes, console: Console) -> int:
    """Show what grows until the job has ended. Containers that come later are shown too."""
    source: LogSource = LiveLogs()
    if not isinstance(found.place, YarnPlace):
        source = LocalLogs(found.place.cluster, found.app_id)
    printer = LogPrinter(source, out, headings=False, tail=wish.tail)
    targets: list[LogTarget] = []
    looked = float("-inf")
    while not out.gone:
        report = _report(found)
        try:
            if time.monotonic() - looked > _LOOK:
                targets = _targets(Found(report, found.place), wish, console, quiet=True)
                looked = time.monotonic()
            files, lacking = wanted_files(source, targets, wish.files, _USUAL)
            printer.headings = printer.headings or len(files) > 1
            for file, size in files:
                printer.show(file, size)
        except UsageError:  # no such container yet
            lacking = []
            if report.state.final:
                raise
        except ClusterUnavailable as error:
            lacking = [error.message]
        out.flush()
        if report.state.final:
            if lacking and isinstance(found.place, YarnPlace):
                console.info(
                    "the last lines may be missing: without --follow they are shown when YARN has them"
                )
            console.info(f"{found.app_id} has ended: {report.state.value}")
            return EXIT_OK
        time.sleep(_PAUSE)
    return EXIT_OK


def _report(found: Found) -> ApplicationReport:
    """The newest report; the old one while the back end does not answer."""
    try:
        return found.place.report(found.app_id)
    except ClusterUnavailable:
        return found.report


def _targets(found: Found, wish: Wish, console: Console, *, quiet: bool = False) -> list[LogTarget]:
    stands, notes = standing(found), list[str]()
    yarn = stands.yarn
    if wish.role == AM_ROLE or (wish.container and not yarn):
        yarn = [one for one in yarn_containers(found, notes) if one.master or one in yarn]
    if not quiet:
        for note in notes:
            console.warn(note)
    known = known_targets(stands.snapshot, yarn, _masters(found.report))
    try:
        return choose(known, found.app_id, role=wish.role, index=wish.index, container=wish.container)
    except UsageError as error:
        if stands.notes:
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
