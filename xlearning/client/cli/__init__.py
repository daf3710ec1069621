"""The entry point of ``xl-submit``: verbs, exit codes, and errors as sentences."""

from __future__ import annotations

import sys
from collections.abc import Sequence

DEFAULT_VERB = "submit"
VERBS = frozenset((DEFAULT_VERB, "save"))


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
    from xlearning.client.console import open_console, open_standard_streams, silence

    open_standard_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    # Only the very first word can be a verb; later it is the user's command or a value.
    verb = words.pop(0) if words and words[0] in VERBS else DEFAULT_VERB
    try:
        return _run(verb, words)
    except OSError as error:  # help that nobody can read; all else is dealt with where it happens
        silence(sys.stdout)
        open_console().error(f"standard output cannot be written: {error.strerror}")
        return 1


def _run(verb: str, words: list[str]) -> int:
    if verb == "save":
        from xlearning.client.cli.save import main as save

        return save(words)
    from xlearning.client.cli.submit import submit

    return int(submit.main(words, prog_name="xl-submit", standalone_mode=False) or 0)
