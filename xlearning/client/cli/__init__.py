"""The entry point of ``xl-submit``: verbs, exit codes, and errors as sentences."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence

DEFAULT_VERB = "submit"
COMPLETE = "_XL_SUBMIT_COMPLETE"  # set by a shell that asks how a line can go on
VERBS = frozenset(
    (
        *(DEFAULT_VERB, "completion", "config", "describe", "doctor", "history", "kill", "list", "logs"),
        *("open", "package", "save", "status", "tensorboard", "top"),
    )
)


_APP_ID = re.compile(r"last|-|application_\w*|\d+(_\d+)?")
_HELP = ("--help", "-h")
_AFTER_A_VERB = ("--local", "--output", "--verbose", *_HELP)


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
    if argv is None and COMPLETE in os.environ:
        with _quiet_interrupt():
            from xlearning.client.completion.shells import main as complete
        return complete()
    with _quiet_interrupt():
        from xlearning.client.console import open_console, open_standard_streams, silence

    open_standard_streams()
    # not list(...): in this module that name is the verb's, once it has run
    words = _help_of_a_verb([*(sys.argv[1:] if argv is None else argv)])
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


def _help_of_a_verb(words: list[str]) -> list[str]:
    """``help``, ``help VERB`` and ``--help VERB`` as ``--help`` and ``VERB --help``; all else as it is.

    A program that is called ``help`` is run as any other.
    """
    if not words or words[0] not in ("help", *_HELP) or len(words) > 2:
        return words
    if words[0] == "help" and _is_program("help"):
        return words
    if len(words) == 1:
        return ["--help"]
    return [words[1], "--help"] if words[1] in VERBS else words


def _is_program(name: str) -> bool:
    import shutil

    return shutil.which(name) is not None or os.path.exists(name)  # noqa: PTH110


def _meant(words: Sequence[str]) -> str:
    """The verb that was misspelt, where what follows could stand after a verb; else empty."""
    if not words or words[0].startswith("-"):
        return ""
    id_follows = len(words) > 1 and bool(_APP_ID.fullmatch(words[1]))
    if not id_follows and words[1:2] not in ([], *([word] for word in _AFTER_A_VERB)):
        return ""
    import difflib
    import shutil

    meant = difflib.get_close_matches(words[0], VERBS - {DEFAULT_VERB}, 1, 0.6 if id_follows else 0.75)
    is_program = not id_follows and shutil.which(words[0]) is not None
    return "" if is_program else next(iter(meant), "")


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
