"""What is installed and set on this machine."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import xlearning
from xlearning.client.doctor.model import Finding, ok, problem, warning
from xlearning.client.packaging.nodes import gateway
from xlearning.client.problems import Problem
from xlearning.config import Config

Version = Callable[[str], str]

_SITE = "site file "  # titles of these files begin so
_AGAIN = "install xlearning again into the environment of xl-submit"


@dataclass(frozen=True)
class Found:
    """What is to be said about properties."""

    problems: Sequence[Problem] = ()
    warnings: Sequence[str] = ()


def program() -> Finding:
    """XLearning itself and the Python that runs it."""
    return ok(f"{xlearning.__version__} ({Path(sys.prefix)}); {gateway()}")


def dependencies(requirements: Sequence[str] | None, version: Version) -> Finding:
    """Whether everything that we need is installed, in a version that will do.

    Parameters
    ----------
    requirements : sequence of str, or None
        As the metadata of the distribution names them; None where there is no such distribution.
    version : callable
        Version of an installed distribution by name; raises `importlib.metadata.PackageNotFoundError`.
    """
    if requirements is None:
        return warning("xlearning is not installed, so what it needs is not known", _AGAIN)
    from packaging.requirements import Requirement

    needed = [Requirement(text) for text in requirements]
    needed = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    bad = []
    for one in needed:
        try:
            found = version(one.name)
        except importlib.metadata.PackageNotFoundError:
            bad.append(f"{one.name}{one.specifier} is missing")
            continue
        if not one.specifier.contains(found, prereleases=True):
            bad.append(f"{one.name} is {found}, not {one.specifier}")
    if bad:
        return problem("; ".join(bad), _AGAIN)
    return ok(f"{len(needed)} packages, all in versions that will do")


def requirements() -> Sequence[str] | None:
    """Those of the installed distribution."""
    try:
        return importlib.metadata.requires("xlearning") or []
    except importlib.metadata.PackageNotFoundError:
        return None


def properties(config: Config | None, found: Found) -> Finding:
    """The site file, and what is wrong with properties from anywhere.

    Parameters
    ----------
    config : Config or None
        None where they cannot be used.
    """
    sites = (
        [file.title for file in config.files if file.read and file.title.startswith(_SITE)] if config else []
    )
    there = (sites or ["no site file"])[:1] if config else []
    if config is None or found.problems:
        alone = len(found.problems) == 1
        words = [one.message if alone else _with_fix(one) for one in found.problems]
        fix = found.problems[0].fix if alone else ""
        return problem("\n".join([*there, *words, *found.warnings]), fix or "correct these properties")
    if found.warnings:
        return warning("\n".join([*there, *found.warnings]), "correct or remove these properties")
    count = len(config.explicit())
    return ok(f"{there[0]}; {count} {'property is' if count == 1 else 'properties are'} set")


def _with_fix(one: Problem) -> str:
    return f"{one.message} (fix: {one.fix})" if one.fix else one.message
