"""Input formats by the names that people give them. A format's module is loaded when it is asked for."""

from __future__ import annotations

import importlib
import sys
from typing import NamedTuple, cast

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.base import InputFormat
from xlearning.formats.own import is_java, is_own


class Libraries(NamedTuple):
    """What a format is made of besides XLearning; packages as `xlearning.formats.libraries` knows them.

    Attributes
    ----------
    requires : tuple of str
        Packages without which it does not work.
    prefers : tuple of str
        Packages that some of its files need, which names do not tell.
    unpacks : bool
        Whether it reads files that are compressed as a whole, by their names.
    """

    requires: tuple[str, ...] = ()
    prefers: tuple[str, ...] = ()
    unpacks: bool = False


class _Entry(NamedTuple):
    """Where a format is, and the Java classes that it stands for; a name without package is Hadoop's."""

    place: str
    classes: tuple[str, ...] = ()
    libraries: Libraries = Libraries()


_INSIDE = ("backports.zstd", "cramjam", "isal")  # codecs within files
_AVRO = ("backports.zstd", "cramjam")
_UNPACKS = Libraries(unpacks=True)
# name -> its place; one line each
_FORMATS = {
    "text": _Entry("xlearning.formats.text:TextFormat", ("TextInputFormat",), _UNPACKS),
    "keyvalue": _Entry("xlearning.formats.keyvalue:KeyValueFormat", ("KeyValueTextInputFormat",), _UNPACKS),
    "nline": _Entry("xlearning.formats.nline:NLineFormat", ("NLineInputFormat",)),
    "combine": _Entry(
        "xlearning.formats.combine:CombineFormat",
        ("CombineTextInputFormat", "CombineFileInputFormat"),
        _UNPACKS,
    ),
    "fixed": _Entry("xlearning.formats.fixed:FixedFormat", ("FixedLengthInputFormat",), _UNPACKS),
    "wholefile": _Entry("xlearning.formats.wholefile:WholeFileFormat"),
    "sequencefile": _Entry(
        "xlearning.formats.sequencefile:SequenceFileFormat",
        ("SequenceFileInputFormat",),
        Libraries(prefers=_INSIDE),
    ),
    "sequencefile-text": _Entry(
        "xlearning.formats.sequencefile:SequenceFileTextFormat",
        ("SequenceFileAsTextInputFormat",),
        Libraries(prefers=_INSIDE),
    ),
    "avro": _Entry(
        "xlearning.formats.avro:AvroFormat",
        ("org.apache.avro.mapred.AvroAsTextInputFormat",),
        Libraries(("fastavro",), _AVRO),
    ),
    "parquet": _Entry(
        "xlearning.formats.columnar:ParquetFormat",
        (
            "org.apache.parquet.hadoop.ParquetInputFormat",
            "org.apache.parquet.hadoop.example.ExampleInputFormat",
        ),
        Libraries(("pyarrow",)),
    ),
    "orc": _Entry(
        "xlearning.formats.columnar:OrcFormat",
        ("org.apache.orc.mapred.OrcInputFormat", "org.apache.orc.mapreduce.OrcInputFormat"),
        Libraries(("pyarrow",)),
    ),
    "tfrecord": _Entry(
        "xlearning.formats.tfrecord:TFRecordFormat",
        ("org.tensorflow.hadoop.io.TFRecordFileInputFormat",),
        Libraries(("google-crc32c",)),
    ),
}
_JAVA = Libraries(("jpype1",))
_PACKAGES = (
    "",
    "org.apache.hadoop.mapred.",
    "org.apache.hadoop.mapred.lib.",
    "org.apache.hadoop.mapreduce.lib.input.",
)


def _spellings(class_: str) -> tuple[str, ...]:
    if "." in class_:
        return (class_, class_.rpartition(".")[2])
    return tuple(f"{package}{class_}" for package in _PACKAGES)


_NAMES = {
    spelling.lower(): name
    for name, entry in _FORMATS.items()
    for spelling in (name, *(full for class_ in entry.classes for full in _spellings(class_)))
}


def known() -> tuple[str, ...]:
    """Short names of all formats."""
    return tuple(_FORMATS)


def libraries_of(name: str, config: Config) -> Libraries:
    """What the format called ``name`` is made of; nothing where there is none."""
    if is_own(name):
        return _UNPACKS
    found = _NAMES.get(name.strip().lower())
    if _through_java(name, found, config):
        return _JAVA
    return _FORMATS[found].libraries if found is not None else Libraries()


def _through_java(name: str, found: str | None, config: Config) -> bool:
    return is_java(name) and (found is None or bool(config.get("xlearning.inputformat.java")))


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
    if _through_java(name, found, config):
        from xlearning.formats.java.input import JavaInput

        return JavaInput(name.strip(), config)
    if found is None:
        raise UsageError(
            f"input format {name} is not part of this version",
            hint=f"there is: {', '.join(known())}, and module:Class for your own, and Java classes",
        )
    module, _, class_ = _FORMATS[found].place.partition(":")
    return cast(InputFormat, getattr(importlib.import_module(module), class_)(config))


def release() -> None:
    """Let go of what readers keep for the next split, such as a JVM."""
    java = sys.modules.get("xlearning.formats.java.input")
    if java is not None:
        java.release()
