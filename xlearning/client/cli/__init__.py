"""The entry point of ``xl-submit``: verbs, exit codes, and errors as sentences."""

from __future__ import annotations

import sys
from collections.abc import Sequence

DEFAULT_VERB = "submit"


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
    from xlearning.client.cli.submit import submit
    from xlearning.client.console import open_console, open_standard_streams, silence

    open_standard_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == [DEFAULT_VERB]:
        del words[0]
    try:
        return int(submit.main(words, prog_name="xl-submit", standalone_mode=False) or 0)
    except OSError as error:  # help that nobody can read; all else is dealt with where it happens
        silence(sys.stdout)
        open_console().error(f"standard output cannot be written: {error.strerror}")
        return 1
