"""Formats of STREAM input that read text, and how records go into the pipe."""

from __future__ import annotations

from xlearning.config.schema import Group, Kind, key

_K = Kind

TEXT_FAMILY = Group(
    "Input strategy STREAM: text and what is made of it",
    (
        key("inputformat.text.delimiter", _K.STRING, None,
            r"What ends a record of text, keyvalue, nline and combine, with \n, \r, \t, \0, \x01 (any byte) "
            r"and \\ for what cannot be typed; unset: LF, CR or CRLF.",
            also=("textinputformat.record.delimiter",)),
        key("inputformat.text.maxlength", _K.SIZE, "0",
            "Records of so many bytes or more, with what ends them, are left out, counted and told in the "
            "container's log; 0: none is.", low=0,
            also=("mapreduce.input.linerecordreader.line.maxlength", "mapred.linerecordreader.maxlength")),
    ),
)  # fmt: skip
