"""``xl-submit doctor``: from the words of the command line to the exit code."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence

from xlearning.client.answers import JSON, answer, answer_json
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.doctor import checklist, report
from xlearning.client.doctor.checklist import Given
from xlearning.client.doctor.examine import examine
from xlearning.client.doctor.gateway import Found
from xlearning.client.doctor.model import Result, healthy
from xlearning.client.problems import Problem
from xlearning.client.scan import Scan
from xlearning.client.settings import Layers, read_config, split_pairs, user_name
from xlearning.config.effects import judge


def run(
    console: Console,
    *,
    local: bool,
    in_cluster: bool,
    timeout: float,
    output: str,
    **settings: str | Sequence[str] | None,
) -> int:
    """Look at everything and tell; the exit code.

    Parameters
    ----------
    in_cluster : bool
        Run a job that looks at its container, too.
    timeout : float
        Seconds for that job.
    settings : str, sequence of str, or None
        Options that set properties.
    """
    given = _given({name.replace("_", "-"): _texts(value) for name, value in settings.items()})
    checks = checklist.local(given) if local else checklist.everything(given, in_cluster=in_cluster)

    def results() -> Iterator[Result]:
        seen = []
        for result in examine(checks):
            seen.append(result)
            yield result
        if in_cluster:
            from xlearning.client.doctor.in_cluster import look

            yield from look(given, seen, local=local, timeout=timeout)

    if output == JSON:
        found = list(results())
        told = answer_json(dataclasses.asdict(report.record(found)), console)
    else:
        found, told = [], True
        for some in report.areas(_kept(results(), found)):
            told = told and answer(some, console)
        told = told and answer([report.summary(found)], console)
    return EXIT_OK if told and healthy(found) else EXIT_CLIENT


def _kept(results: Iterator[Result], found: list[Result]) -> Iterator[Result]:
    for result in results:
        found.append(result)
        yield result


def _texts(value: str | Sequence[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _given(settings: Mapping[str, Sequence[str]]) -> Given:
    """What is set, and what is wrong with it, which is a finding like others."""
    line = Scan(values={name: list(texts) for name, texts in settings.items() if texts})
    problems: list[Problem] = []
    warnings: list[str] = []
    pairs = split_pairs(tuple(line.many("conf")), problems)
    config = read_config(Layers(tuple(line.many("conf-file")), pairs, line.properties()), problems, warnings)
    if config is not None:
        verdict = judge(config)
        problems += [Problem(*pair) for pair in verdict.problems]
    return Given(os.environ, user_name(os.environ), config, Found(problems, warnings), settings)
