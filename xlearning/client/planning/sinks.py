"""The output strategy STREAM: whether the standard output of the programs can become files."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.client.planning.names import split_alias
from xlearning.client.planning.request import Request
from xlearning.client.problems import Problem
from xlearning.config import Config
from xlearning.errors import UsageError


def check(request: Request, outputs: int, config: Config, problems: list[Problem], notes: list[str]) -> None:
    """One output, in a format that is there; what has no meaning here is a note."""
    from xlearning.formats.output.registry import output_format  # not loaded by other strategies

    problems += _problems(request.outputs, outputs)
    for text in request.outputs:
        _, alias = split_alias(text)
        if alias is not None:
            notes.append(
                f"--output {text}: with the output strategy STREAM standard output goes there, and no folder "
                f"{alias} of the containers"
            )
    if config.get("xlearning.interresult.upload.interval"):
        notes.append(
            "xlearning.interresult.upload.interval has no effect: STREAM leaves no model to be saved"
        )
    try:
        output_format(config.get("xlearning.outputformat.class"), config)
    except UsageError as error:
        problems.append(Problem(error.message, error.hint or ""))


def _problems(texts: Sequence[str], outputs: int) -> list[Problem]:
    if not texts:
        return [Problem("output strategy STREAM without an output", "add --output PATH, or leave it out")]
    if outputs > 1:
        words = f"output strategy STREAM writes to one output, and there are {outputs}"
        return [Problem(words, "keep one --output, or let the program write files with UPLOAD")]
    return []
