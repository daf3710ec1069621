"""``xl-submit describe APP_ID``."""

from __future__ import annotations

from typing import Any

from xlearning.client.cli.verb import AS_JSON, carry_out, run_command, verb

_INTRO = (
    "Tell everything about a job: command, times, roles with their resources, inputs, outputs, files, "
    "properties and variables (values of secrets are hidden), containers, saves, attempts, and where its "
    "page, history and logs are. A running job is asked itself; what has ended is told by its history and by "
    "YARN."
)
_CODES = "Exit codes: 0 it could be told, whatever the state; 1 it could not."


@verb("describe", intro=_INTRO, example="xl-submit describe last", codes=_CODES)
@AS_JSON
def describe(**options: Any) -> int:
    """Tell everything about a job; the exit code."""
    from xlearning.client.verbs.describe import run

    return carry_out(lambda places, console: run(places, console, **options), options)


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(describe, words)
