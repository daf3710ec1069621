"""Modules with formats, or the application type, of the user's own: the text of those that the job ships."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.client.planning.resources import Shipped
from xlearning.client.problems import Problem
from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.job import InputStrategy, OutputStrategy, ResourceKind

_LIMIT = 1 << 20  # bytes


def collect(
    config: Config, type_: str, shipped: Sequence[Shipped], fss: FileSystems, problems: list[Problem]
) -> dict[str, str]:
    """Name -> text of the modules that the job's formats are in, and make them loadable here.

    A module that is not among ``shipped`` is taken for one that is installed. That of the application
    type ``type_`` (``module:Class``, or empty) goes along all the same: the ApplicationMaster needs it.
    """
    names = [name for name in (*_formats(config), type_) if ":" in name]
    modules = {}
    for module in dict.fromkeys(name.partition(":")[0].strip() for name in names):
        for item in shipped:
            if item.resource.name == f"{module}.py" and item.resource.kind is ResourceKind.FILE:
                text = _read(item, fss, problems)
                if text is not None:
                    modules[module] = text
    if type_ and (module := type_.partition(":")[0].strip()) not in modules:
        from xlearning.frameworks.outside import source  # not loaded by jobs without one

        text = source(module)
        if text is not None:
            modules[module] = text
    if names:
        from xlearning.formats import own  # not loaded by jobs without one

        own.offer(modules)
    return modules


def _formats(config: Config) -> list[str]:
    found = []
    if config.get("xlearning.input.strategy") in (InputStrategy.STREAM.value, "INPUTFORMAT"):
        found.append(config.get("xlearning.inputformat.class"))
    if config.get("xlearning.output.strategy") in (OutputStrategy.STREAM.value, "OUTPUTFORMAT"):
        found.append(config.get("xlearning.outputformat.class"))
    return found


def _read(item: Shipped, fss: FileSystems, problems: list[Problem]) -> str | None:
    uri = item.resource.uri
    if item.status.size > _LIMIT:
        words = f"{uri} has {item.status.size:,} bytes; a module with a format or type can have {_LIMIT:,}"
        problems.append(Problem(words, "keep it in a module of its own"))
        return None
    try:
        with fss.of(uri).open_read(uri) as stream:
            return stream.read(_LIMIT + 1).decode("utf-8")
    except (XLearningError, OSError, UnicodeDecodeError) as error:
        problems.append(
            Problem(f"{uri}, a module with a format or type, cannot be read: {error}", "correct the file")
        )
        return None
