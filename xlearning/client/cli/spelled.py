"""``xl-submit --status ID`` and ``--kill ID``: verbs as spark-submit spells them."""

from __future__ import annotations

import importlib

from xlearning.client.codes import EXIT_CLIENT
from xlearning.client.console import open_console
from xlearning.client.language.choice import said
from xlearning.client.options import OPTIONS, Takes
from xlearning.client.problems import Problem, refuse
from xlearning.client.scan import Scan
from xlearning.errors import UsageError

_SPELLED = ("status", "kill")
# What a verb takes too.
_BESIDE = ("local", "conf", "conf-file", "properties-file", "cluster", "verbose")


def spelled_verb(line: Scan) -> str:
    """The verb that is spelled as an option; empty where there is none."""
    return next((verb for verb in _SPELLED if line.given(verb)), "")


def run_spelled(line: Scan, verb: str) -> int:
    """Run the verb as if it had been the first word; the exit code."""
    problems = list(line.problems)
    strangers = [line.written[name] for name in line.values if name not in (verb, *_BESIDE)]
    for word in (*strangers, *line.command[:1]):
        problems.append(Problem(f"{word} has no place beside {line.written[verb]}", "leave it out"))
    try:
        refuse(problems)
    except UsageError as error:
        open_console().error(said(error))
        return EXIT_CLIENT
    module = importlib.import_module(f"xlearning.client.cli.{verb}")
    return int(module.main([*_words(line), "--", str(line.one(verb))]))


def _words(line: Scan) -> list[str]:
    """The options that go with it, as the verb reads them."""
    bare = {option.name for option in OPTIONS if option.takes is Takes.NOTHING}
    return [
        f"--{name}" if name in bare else f"--{name}={value}" for name in _BESIDE for value in line.many(name)
    ]
