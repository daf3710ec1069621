"""Output formats by the names that people give them."""

from __future__ import annotations

from typing import cast

from xlearning.config import Config
from xlearning.formats.names import Entry, Formats, Libraries
from xlearning.formats.output.base import OutputFormat

# name -> its place; one line each
_FORMATS = {
    "text": Entry("xlearning.formats.output.text:TextFormat", ("TextOutputFormat", "TextMultiOutputFormat")),
    "sequencefile": Entry(
        "xlearning.formats.output.sequencefile:SequenceFileFormat", ("SequenceFileOutputFormat",)
    ),
    "parquet": Entry("xlearning.formats.output.parquet:ParquetFormat", libraries=Libraries(("pyarrow",))),
}
_NAMES = Formats(
    "output",
    _FORMATS,
    (
        "org.apache.hadoop.mapred.",
        "org.apache.hadoop.mapreduce.lib.output.",
        "net.qihoo.xlearning.common.",
        "net.qihoo.hbox.common.",
    ),
    own="xlearning.formats.output.own:own_output",
    java="xlearning.formats.java.output:JavaOutput",
)


def known() -> tuple[str, ...]:
    """Short names of all formats."""
    return tuple(_FORMATS)


def requires(name: str, config: Config) -> tuple[str, ...]:
    """Packages that the format called ``name`` needs; see `xlearning.formats.libraries`."""
    return _NAMES.libraries(name, config).requires


def through_java(name: str, config: Config) -> bool:
    """Whether the format called ``name`` is written by Java, with Java's own codecs."""
    return _NAMES.through_java(name, config)


def output_format(name: str, config: Config) -> OutputFormat:
    """The format called ``name``: one of `known`, Hadoop's class for it, the user's own ``module:Class``,
    or a Java class.

    Raises
    ------
    UsageError
        There is none, or the user's own is wrong.
    """
    return cast(OutputFormat, _NAMES.make(name, config))
