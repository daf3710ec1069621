"""``xl-submit logs``: what the programs of a job have written, to standard output."""

from __future__ import annotations

from xlearning.client.answers import Bytes
from xlearning.client.codes import EXIT_JOB, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.verbs.applications import find_application
from xlearning.client.verbs.log_output import LogPrinter
from xlearning.client.verbs.log_reading import Wish, read_logs
from xlearning.client.verbs.places import Places

_EXIT_PIPE = 141  # as of a program that was ended by SIGPIPE


def run(places: Places, console: Console, *, app_id: str, wish: Wish) -> int:
    """Write logs to standard output; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        There are none, or they cannot be read.
    """
    found, out = find_application(app_id, places), Bytes()
    printer, seen = LogPrinter(out), wish.follow
    for piece in read_logs(found, wish, console):
        if piece is None:
            out.flush()
        else:
            printer.write(piece.file, piece.data, several=piece.several)
            seen = True
        if out.gone:
            break
    out.flush()
    if out.gone:
        return _EXIT_PIPE
    return EXIT_OK if seen else EXIT_JOB
