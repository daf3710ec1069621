"""``xl-submit status APP_ID``."""

from __future__ import annotations

from typing import Any

from xlearning.client.cli.verb import AS_JSON, carry_out, run_command, verb

_INTRO = (
    "Show how a job stands: state, containers with their exit codes, progress, saved models, page, "
    "outputs. A running job is asked itself; what has ended is told by its history and by YARN."
)
_CODES = "Exit codes: 0 it could be told, whatever the state; 1 it could not."


@verb("status", intro=_INTRO, example="xl-submit status last", codes=_CODES)
@AS_JSON
def status(**options: Any) -> int:
    """Tell how a job stands; the exit code."""
    from xlearning.client.verbs.status import run

    return carry_out(lambda places, console: run(places, console, **options), options)


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(status, words)
