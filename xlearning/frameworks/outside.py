"""Application types of somebody else: an entry point of an installed distribution, or ``module:Class``."""

from __future__ import annotations

from importlib import metadata, util

from xlearning.errors import UsageError
from xlearning.formats.own import Own
from xlearning.frameworks.base import Framework
from xlearning.frameworks.guarded import Guarded

GROUP = "xlearning.frameworks"
"""Entry points of this group name types: ``NAME = module:Class``."""


def find(app_type: str) -> str:
    """``module:Class`` of a type that an installed distribution offers; empty if none does.

    Raises
    ------
    UsageError
        Several offer different ones under that name.
    """
    found = {
        entry.value.replace(" ", ""): entry.dist
        for entry in metadata.entry_points(group=GROUP)
        if entry.name.upper() == app_type.upper()
    }
    if len(found) > 1:
        named = ", ".join(f"{value} ({dist.name if dist else '?'})" for value, dist in sorted(found.items()))
        raise UsageError(
            f"application type {app_type} is offered more than once: {named}",
            hint="uninstall one of them, or give --app-type module:Class",
        )
    return next(iter(found), "")


def source(module: str) -> str | None:
    """Text of an installed module, for the ApplicationMaster to have; None if it has none."""
    try:
        spec = util.find_spec(module)
    except ModuleNotFoundError:
        return None
    read = getattr(spec.loader, "get_source", None) if spec else None
    return read(module) if read else None


def load(outside: str) -> Framework:
    """The type ``module:Class``; its own faults are told as such.

    Raises
    ------
    UsageError
        There is no such class, or it is no `Framework`.
    """
    own = Own("application type", outside, ())
    made = own.make()
    if not isinstance(made, Framework):
        raise own.refuse("it is not derived from xlearning.frameworks.base.Framework")
    return Guarded(own, made)
