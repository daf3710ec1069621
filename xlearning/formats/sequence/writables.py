"""Keys and values of a SequenceFile in the form in which programs read them.

=======================  ==================================  ==============================
class                    ``sequencefile``                    ``sequencefile-text``
=======================  ==================================  ==============================
Text                     its bytes                           its bytes
BytesWritable            its bytes                           hexadecimal: ``00 01 ff 0a``
Int, Long, Short, Byte   decimal                             decimal
VInt, VLong              decimal                             decimal
Float, Double            as Java prints them: ``1.0E300``    the same
Boolean                  ``true``, ``false``                 the same
NullWritable             ``(null)``                          ``(null)``
MD5Hash                  hexadecimal: ``0cc175b9...``        the same
=======================  ==================================  ==============================

The first column is what Hadoop's streaming puts into a pipe, the second what ``toString`` gives.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from xlearning.errors import StorageError
from xlearning.formats.sequence.numbers import double_text, float_text, vlong, vlong_size

Form = Callable[[bytes], bytes]
"""From serialized bytes to what a program reads; `ValueError` where the bytes are not of the class."""

_IO = "org.apache.hadoop.io."
_MD5 = 16  # bytes


def form_of(class_: str, *, raw: bool) -> Form:
    """How objects of the Java class ``class_`` are shown.

    Parameters
    ----------
    raw : bool
        Give the bytes of a BytesWritable as they are, not in hexadecimal.

    Raises
    ------
    StorageError
        No form of that class is known.
    """
    found = _FORMS.get(class_.removeprefix(_IO)) if class_.startswith(_IO) else None
    if found is None:
        raise StorageError(
            f"holds objects of the Java class {class_}, which cannot be read without Java",
            hint="name a Java class that reads them with --inputformat, and its jar with --jars; "
            f"without Java there is: {', '.join(_FORMS)}",
        )
    return _payload if raw and found is _hexadecimal else found


def _text(data: bytes) -> bytes:
    if not data:
        raise ValueError("no bytes where a Text must be")
    first = data[0]
    if first < 128:
        if first + 1 != len(data):
            raise ValueError("the length of a Text is wrong")
        return data[1:]
    length, at = _number(data)
    if at + length != len(data):
        raise ValueError("the length of a Text is wrong")
    return data[at:]


def _payload(data: bytes) -> bytes:
    if len(data) < 4 or int.from_bytes(data[:4], "big") + 4 != len(data):
        raise ValueError("the length of a BytesWritable is wrong")
    return data[4:]


def _hexadecimal(data: bytes) -> bytes:
    return _payload(data).hex(" ").encode()


def _fixed(code: str, show: Callable[[float], str]) -> Form:
    layout = struct.Struct(f">{code}")

    def form(data: bytes) -> bytes:
        if len(data) != layout.size:
            raise ValueError(f"{len(data)} bytes where {layout.size} must be")
        return show(layout.unpack(data)[0]).encode()

    return form


def _variable(data: bytes) -> bytes:
    number, end = _number(data)
    if end != len(data):
        raise ValueError("the length of a number is wrong")
    return b"%d" % number


def _number(data: bytes) -> tuple[int, int]:
    if not data or vlong_size(data[0]) > len(data):
        raise ValueError("a number is cut off")
    return vlong(data)


def _boolean(data: bytes) -> bytes:
    if len(data) != 1:
        raise ValueError(f"{len(data)} bytes where 1 must be")
    return b"true" if data != b"\0" else b"false"


def _null(data: bytes) -> bytes:
    if data:
        raise ValueError(f"{len(data)} bytes where none must be")
    return b"(null)"


def _md5(data: bytes) -> bytes:
    if len(data) != _MD5:
        raise ValueError(f"{len(data)} bytes where {_MD5} must be")
    return data.hex().encode()


_FORMS: dict[str, Form] = {
    "Text": _text,
    "BytesWritable": _hexadecimal,
    "IntWritable": _fixed("i", str),
    "LongWritable": _fixed("q", str),
    "ShortWritable": _fixed("h", str),
    "ByteWritable": _fixed("b", str),
    "VIntWritable": _variable,
    "VLongWritable": _variable,
    "FloatWritable": _fixed("f", float_text),
    "DoubleWritable": _fixed("d", double_text),
    "BooleanWritable": _boolean,
    "NullWritable": _null,
    "MD5Hash": _md5,
}
