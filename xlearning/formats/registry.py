"""Input formats by the names that people give them."""

from __future__ import annotations

import sys
from typing import cast

from xlearning.config import Config
from xlearning.formats.base import InputFormat
from xlearning.formats.names import Entry, Formats, Libraries
from xlearning.formats.own import is_own

_INSIDE = ("backports.zstd", "cramjam", "isal")  # codecs within files
_AVRO = ("backports.zstd", "cramjam")
_UNPACKS = Libraries(unpacks=True)
# name -> its place; one line each
_FORMATS = {
    "text": Entry("xlearning.formats.text:TextFormat", ("TextInputFormat",), _UNPACKS),
    "keyvalue": Entry("xlearning.formats.keyvalue:KeyValueFormat", ("KeyValueTextInputFormat",), _UNPACKS),
    "nline": Entry("xlearning.formats.nline:NLineFormat", ("NLineInputFormat",)),
    "combine": Entry(
        "xlearning.formats.combine:CombineFormat",
        ("CombineTextInputFormat", "CombineFileInputFormat"),
        _UNPACKS,
    ),
    "fixed": Entry("xlearning.formats.fixed:FixedFormat", ("FixedLengthInputFormat",), _UNPACKS),
    "wholefile": Entry("xlearning.formats.wholefile:WholeFileFormat"),
    "sequencefile": Entry(
        "xlearning.formats.sequencefile:SequenceFileFormat",
        ("SequenceFileInputFormat",),
        Libraries(prefers=_INSIDE),
    ),
    "sequencefile-text": Entry(
        "xlearning.formats.sequencefile:SequenceFileTextFormat",
        ("SequenceFileAsTextInputFormat",),
        Libraries(prefers=_INSIDE),
    ),
    "avro": Entry(
        "xlearning.formats.avro:AvroFormat",
        ("org.apache.avro.mapred.AvroAsTextInputFormat",),
        Libraries(("fastavro",), _AVRO),
    ),
    "parquet": Entry(
        "xlearning.formats.columnar:ParquetFormat",
        (
            "org.apache.parquet.hadoop.ParquetInputFormat",
            "org.apache.parquet.hadoop.example.ExampleInputFormat",
        ),
        Libraries(("pyarrow",)),
    ),
    "orc": Entry(
        "xlearning.formats.columnar:OrcFormat",
        ("org.apache.orc.mapred.OrcInputFormat", "org.apache.orc.mapreduce.OrcInputFormat"),
        Libraries(("pyarrow",)),
    ),
    "tfrecord": Entry(
        "xlearning.formats.tfrecord:TFRecordFormat",
        ("org.tensorflow.hadoop.io.TFRecordFileInputFormat",),
        Libraries(("google-crc32c",)),
    ),
}
_NAMES = Formats(
    "input",
    _FORMATS,
    ("org.apache.hadoop.mapred.", "org.apache.hadoop.mapred.lib.", "org.apache.hadoop.mapreduce.lib.input."),
    own="xlearning.formats.own_input:own_input",
    java="xlearning.formats.java.input:JavaInput",
)


def known() -> tuple[str, ...]:
    """Short names of all formats."""
    return tuple(_FORMATS)


def libraries_of(name: str, config: Config) -> Libraries:
    """What the format called ``name`` is made of; nothing where there is none."""
    return _UNPACKS if is_own(name) else _NAMES.libraries(name, config)


def input_format(name: str, config: Config) -> InputFormat:
    """The format called ``name``: one of `known`, Hadoop's class for it, the user's own ``module:Class``,
    or a Java class.

    Raises
    ------
    UsageError
        There is none, or the user's own is wrong.
    """
    return cast(InputFormat, _NAMES.make(name, config))


def release() -> None:
    """Let go of what readers keep for the next split, such as a JVM."""
    java = sys.modules.get("xlearning.formats.java.input")
    if java is not None:
        java.release()
