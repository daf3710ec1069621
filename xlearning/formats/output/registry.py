"""Output formats by the names that people give them. A format's module is loaded when it is asked for."""

from __future__ import annotations

import importlib
from typing import NamedTuple, cast

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.output.base import OutputFormat
from xlearning.formats.own import is_java, is_own


class _Entry(NamedTuple):
    """Where a format is, Hadoop's classes that it stands for, and the packages that it needs."""

    place: str
    classes: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()


# name -> its place; one line each
_FORMATS = {
    "text": _Entry("xlearning.formats.output.text:TextFormat", ("TextOutputFormat", "TextMultiOutputFormat")),
    "sequencefile": _Entry(
        "xlearning.formats.output.sequencefile:SequenceFileFormat", ("SequenceFileOutputFormat",)
    ),
    "parquet": _Entry("xlearning.formats.output.parquet:ParquetFormat", requires=("pyarrow",)),
}
_PACKAGES = (
    "",
    "org.apache.hadoop.mapred.",
    "org.apache.hadoop.mapreduce.lib.output.",
    "net.qihoo.xlearning.common.",
    "net.qihoo.hbox.common.",
)
_NAMES = {
    spelling.lower(): name
    for name, entry in _FORMATS.items()
    for spelling in (name, *(f"{package}{class_}" for class_ in entry.classes for package in _PACKAGES))
}


def known() -> tuple[str, ...]:
    """Short names of all formats."""
    return tuple(_FORMATS)


def requires(name: str, config: Config) -> tuple[str, ...]:
    """Packages that the format called ``name`` needs; see `xlearning.formats.libraries`."""
    if through_java(name, config):
        return ("jpype1",)
    found = _found(name)
    return _FORMATS[found].requires if found is not None else ()


def through_java(name: str, config: Config) -> bool:
    """Whether the format called ``name`` is written by Java, with Java's own codecs."""
    return is_java(name) and (_found(name) is None or bool(config.get("xlearning.outputformat.java")))


def _found(name: str) -> str | None:
    return _NAMES.get(name.strip().lower())


def output_format(name: str, config: Config) -> OutputFormat:
    """The format called ``name``: one of `known`, Hadoop's class for it, the user's own ``module:Class``,
    or a Java class.

    Raises
    ------
    UsageError
        There is none, or the user's own is wrong.
    """
    if is_own(name):
        from xlearning.formats.output.own import own_output

        return own_output(name, config)
    if through_java(name, config):
        from xlearning.formats.java.output import JavaOutput

        return JavaOutput(name.strip(), config)
    found = _found(name)
    if found is None:
        raise UsageError(
            f"output format {name} is not part of this version",
            hint=f"there is: {', '.join(known())}, module:Class for your own, and Java classes",
        )
    module, _, class_ = _FORMATS[found].place.partition(":")
    return cast(OutputFormat, getattr(importlib.import_module(module), class_)(config))
