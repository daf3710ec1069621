"""Application types of somebody else: an entry point of an installed distribution, or ``module:Class``."""

from __future__ import annotations

from importlib import metadata, util

from xlearning.errors import UsageError
from xlearning.formats.bounded import Allowance, Overdue
from xlearning.formats.own import Own
from xlearning.frameworks.base import Framework
from xlearning.frameworks.guarded import Guarded

GROUP = "xlearning.frameworks"
"""Entry points of this group name types: ``NAME = module:Class``."""
_LOADING = 30.0  # seconds


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
        There is no such class, it is no `Framework`, or loading it does not end.
    """
    title = f"application type {outside}"
    try:
        own, made = Allowance(f"{outside.partition(':')[0].strip()}.py").run(_LOADING, _make, outside)
    except Overdue as error:
        raise UsageError(f"{title}: it was not loaded within {_LOADING:g} s{error.where}") from None
    if not isinstance(made, Framework):
        raise own.refuse("it is not derived from xlearning.frameworks.base.Framework")
    return Guarded(own, made)


def _make(outside: str) -> tuple[Own, object]:
    own = Own("application type", outside, ())
    return own, own.make()
