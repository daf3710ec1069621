"""The entry point of ``xl-submit``: verbs, exit codes, and errors as sentences."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
import threading
from collections.abc import Iterator, Sequence

DEFAULT_VERB = "submit"
VERBS = frozenset((DEFAULT_VERB, "config", "doctor", "kill", "list", "logs", "package", "save", "status"))


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``xl-submit``.

    Parameters
    ----------
    argv : sequence of str, optional
        Words after the program's name; those of this process by default.

    Returns
    -------
    int
        0 succeeded; 1 wrong usage, configuration or client error; 2 application failed or was
        killed; 128 + n left by signal n.
    """
    with _quiet_interrupt():
        from xlearning.client.console import open_console, open_standard_streams, silence

    open_standard_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    # Only the very first word can be a verb; later it is the user's command or a value.
    verb = words.pop(0) if words and words[0] in VERBS else DEFAULT_VERB
    if verb == DEFAULT_VERB and (meant := _meant(words)):
        open_console().error(
            f"there is no verb {words[0]}; did you mean {meant}?\n"
            f"  hint: to run a command of this name, write xl-submit -- {words[0]}"
        )
        return 1
    try:
        return _run(verb, words)
    except OSError as error:  # help that nobody can read; all else is dealt with where it happens
        silence(sys.stdout)
        open_console().error(f"standard output cannot be written: {error.strerror}")
        return 1


def _meant(words: Sequence[str]) -> str:
    """The verb that was misspelt, where the next word is that of an application; else empty."""
    if len(words) < 2 or not (words[1] == "last" or words[1].startswith("application_")):
        return ""
    import difflib

    return next(iter(difflib.get_close_matches(words[0], VERBS - {DEFAULT_VERB}, 1)), "")


@contextlib.contextmanager
def _quiet_interrupt() -> Iterator[None]:
    """While modules are loaded, Ctrl-C ends the process as it ends any other, without a traceback."""
    python_handles_it = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not python_handles_it or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _run(verb: str, words: list[str]) -> int:
    if verb != DEFAULT_VERB:
        with _quiet_interrupt():
            module = importlib.import_module(f"xlearning.client.cli.{verb}")
        return int(module.main(words))
    with _quiet_interrupt():
        from xlearning.client.cli.submit import submit
    return int(submit.main(words, prog_name="xl-submit", standalone_mode=False) or 0)
