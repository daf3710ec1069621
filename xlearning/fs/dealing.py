"""Which files of an input each worker gets: the one rule of the client's plan and the ApplicationMaster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xlearning.config import Config
from xlearning.fs.base import FileStatus


class Rule(NamedTuple):
    """How files are dealt.

    Attributes
    ----------
    whole : bool
        Every worker gets all files.
    first : int
        Worker 0 gets the first files alone, so many that hold something; 0: its share like the others.
    """

    whole: bool = False
    first: int = 0


def rule(config: Config) -> Rule:
    """The rule that the properties ask for. With the input strategy STREAM it does not count."""
    placeholder = config.get("xlearning.input.strategy") == "PLACEHOLDER"
    few = config.get("xlearning.chief.worker.minimum.data")
    return Rule(
        whole=placeholder and config.get("xlearning.placeholder.whole.enable"),
        first=config.get("xlearning.chief.worker.minimum.file.num") if few else 0,
    )


def deal(files: Sequence[FileStatus], workers: int, rule: Rule) -> list[tuple[FileStatus, ...]]:
    """The files of each worker.

    File i goes to worker i mod W, as in the original. Where worker 0 gets the first files, the others
    share the rest in the same way.

    Parameters
    ----------
    files : sequence of FileStatus
        Those of one input, in the order of the listing.
    workers : int
        Number of containers of role ``worker``, a separate chief included, the evaluator not.

    Returns
    -------
    list
        One tuple per worker; together they hold every file once, or, whole, W times.
    """
    if rule.whole:
        return [tuple(files)] * workers
    if not rule.first or workers == 1:
        return [tuple(files[worker::workers]) for worker in range(workers)]
    count = _first(files, rule.first)
    others = workers - 1
    rest = [tuple(files[count + (other - count) % others :: others]) for other in range(others)]
    return [tuple(files[:count]), *rest]


def _first(files: Sequence[FileStatus], wanted: int) -> int:
    """How many files hold the first ``wanted`` ones that are not empty."""
    full = 0
    for count, status in enumerate(files, start=1):
        full += status.size > 0
        if full == wanted:
            return count
    return len(files)
