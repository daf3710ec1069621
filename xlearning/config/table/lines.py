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
        key("inputformat.keyvalue.separator", _K.STRING, None,
            r"What ends the key of a line of keyvalue, written as xlearning.inputformat.text.delimiter is; "
            "unset: TAB.",
            also=("mapreduce.input.keyvaluelinerecordreader.key.value.separator",
                  "key.value.separator.in.input.line")),
        key("inputformat.nline.lines", _K.INT, "1", "Lines of a split of nline.", low=1,
            also=("mapreduce.input.lineinputformat.linespermap", "mapred.line.input.format.linespermap")),
        key("inputformat.fixed.length", _K.INT, None, "Bytes of a record of fixed.", low=1,
            also=("fixedlengthinputformat.record.length",)),
        key("inputformat.io", _K.ENUM, "TEXT",
            "How records go to the program, as in Hadoop's streaming: TEXT (a line each), RAWBYTES (key and "
            "value, a length of 4 bytes before each), TYPEDBYTES (the same, with the code of bytes, 0, "
            "before each length).",
            values=("TEXT", "RAWBYTES", "TYPEDBYTES")),
        key("inputformat.key", _K.BOOL, "false",
            "TEXT: feed the key, a separator and the value, instead of the value alone. What a key is, the "
            "format says; that of text is the offset of the line."),
        key("inputformat.key.separator", _K.STRING, None,
            r"Stands between key and value, written as xlearning.inputformat.text.delimiter is; unset: TAB."),
    ),
)  # fmt: skip
