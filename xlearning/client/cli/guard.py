"""Errors as sentences: no traceback without ``--verbose``."""

from __future__ import annotations

import contextlib
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from xlearning.client.codes import EXIT_CLIENT, EXIT_SIGNAL
from xlearning.client.console import Console, open_console
from xlearning.client.language.choice import said
from xlearning.client.scan import Scan
from xlearning.errors import UsageError, XLearningError

SIGINT = 2


def guarded(line: Scan) -> int:
    """Run a submission; the exit code, whatever happens."""

    def work(console: Console) -> int:
        from xlearning.client.submit import run

        return run(line, console)

    return sentences(
        work,
        verbose=line.given("verbose"),
        interrupted="interrupted; nothing was submitted",
        console=open_console(quiet=line.given("quiet"), color=not line.given("no-color")),
    )


def sentences(
    work: Callable[[Console], int], *, verbose: bool, interrupted: str, console: Console | None = None
) -> int:
    """Run ``work``; the exit code, whatever happens. ``interrupted`` is said after a Ctrl-C."""
    console = console or open_console()
    try:
        with _terminable():
            _check_folder()
            return work(console)
    except KeyboardInterrupt as error:
        signum = getattr(error, "signum", SIGINT)
        console.error(interrupted)
        return EXIT_SIGNAL + int(signum)
    except XLearningError as error:
        return _failed(console, said(error), verbose=verbose)
    except OSError as error:
        return _failed(console, _words(error), verbose=verbose)
    except Exception as error:  # noqa: BLE001 - the last resort before a traceback
        text = f"unexpected {type(error).__name__}: {error}\n  hint: --verbose shows where"
        return _failed(console, text, verbose=verbose)
    finally:
        console.close()


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Let TERM do what Ctrl-C does: children end, and temporary folders go."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def arrived(signum: int, _frame: FrameType | None) -> None:
        stop = KeyboardInterrupt()
        stop.signum = signum  # type: ignore[attr-defined]
        raise stop

    before = signal.signal(signal.SIGTERM, arrived)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _words(error: OSError) -> str:
    """An error of the system or of a file system as a sentence."""
    if error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    kinds = {
        PermissionError: "permission denied",
        FileNotFoundError: "not found",
        FileExistsError: "already there",
        IsADirectoryError: "a folder, not a file",
        NotADirectoryError: "not a folder",
    }
    return f"{kinds.get(type(error), type(error).__name__)}: {error}"


def _check_folder() -> None:
    """Relative paths mean nothing in a folder that was deleted."""
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the current folder was deleted", hint="change to another one (cd)") from error


def _failed(console: Console, text: str, *, verbose: bool) -> int:
    if verbose:
        console.block([traceback.format_exc().rstrip()], good=False)
    console.error(text)
    return EXIT_CLIENT
