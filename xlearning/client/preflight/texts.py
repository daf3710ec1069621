"""Texts that YARN gets as UTF-8: what is none arrives nowhere, or as something else."""

from __future__ import annotations

from collections.abc import Iterator

from xlearning.client.problems import Problem
from xlearning.config import Config
from xlearning.job import JobSpec

_AM_ENV = "xlearning.am.env."
_SETTINGS = ("xlearning.app.queue", "xlearning.python", "xlearning.staging.dir")


def check(job: JobSpec, config: Config) -> Iterator[Problem]:
    """Problems of the texts that go to YARN itself. Those for the user's program may hold any byte."""
    named = [("--app-name", job.app_name), ("the user name", job.user)]
    named += [(name, config.get(name) or "") for name in _SETTINGS]
    named += [(_AM_ENV + name, value) for name, value in config.family(_AM_ENV).items()]
    for what, text in named:
        if not _is_text(text):
            yield Problem(f"{what} {text!r} is not UTF-8 text, as YARN wants it", "write it in UTF-8")
    for resource in job.resources:
        if not _is_text(resource.name):
            yield Problem(
                f"{resource.name!r}: YARN takes names of files in UTF-8 only",
                "rename the file, or give it another name with PATH#NAME where the option takes one",
            )


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
