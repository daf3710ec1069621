"""Input formats by the names that people give them. A format's module is loaded when it is asked for."""

from __future__ import annotations

import importlib
from typing import NamedTuple, cast

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.base import InputFormat
from xlearning.formats.own import is_own


class _Entry(NamedTuple):
    """Where a format is, and Hadoop's classes that it stands for."""

    place: str
    classes: tuple[str, ...] = ()


# name -> its place; one line each
_FORMATS = {
    "text": _Entry("xlearning.formats.text:TextFormat", ("TextInputFormat",)),
    "sequencefile": _Entry("xlearning.formats.sequencefile:SequenceFileFormat", ("SequenceFileInputFormat",)),
    "sequencefile-text": _Entry(
        "xlearning.formats.sequencefile:SequenceFileTextFormat", ("SequenceFileAsTextInputFormat",)
    ),
}
_PACKAGES = ("", "org.apache.hadoop.mapred.", "org.apache.hadoop.mapreduce.lib.input.")
_NAMES = {
    spelling.lower(): name
    for name, entry in _FORMATS.items()
    for spelling in (name, *(f"{package}{class_}" for class_ in entry.classes for package in _PACKAGES))
}


def known() -> tuple[str, ...]:
    """Short names of all formats."""
    return tuple(_FORMATS)


def is_java(name: str) -> bool:
    """Whether a format's name can be that of a Java class."""
    return "." in name and ":" not in name


def input_format(name: str, config: Config) -> InputFormat:
    """The format called ``name``: one of `known`, Hadoop's class for it, or the user's own ``module:Class``.

    Raises
    ------
    UsageError
        There is none, or the user's own is wrong.
    """
    if is_own(name):
        from xlearning.formats.own_input import own_input

        return own_input(name, config)
    found = _NAMES.get(name.strip().lower())
    if is_java(name) and (found is None or config.get("xlearning.inputformat.java")):
        from xlearning.formats.java.input import JavaInput

        return JavaInput(name.strip(), config)
    if found is None:
        raise UsageError(
            f"input format {name} is not part of this version",
            hint=f"there is: {', '.join(known())}, and module:Class for your own, and Java classes",
        )
    module, _, class_ = _FORMATS[found].place.partition(":")
    return cast(InputFormat, getattr(importlib.import_module(module), class_)(config))
