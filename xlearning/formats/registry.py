"""Input formats by the names that people give them."""

from __future__ import annotations

from xlearning.errors import UsageError
from xlearning.formats.base import InputFormat
from xlearning.formats.text import TextFormat

_FORMATS: tuple[InputFormat, ...] = (TextFormat(),)
_HADOOP = ("org.apache.hadoop.mapred.", "org.apache.hadoop.mapreduce.lib.input.", "")
_NAMES = {
    name.lower(): item
    for item in _FORMATS
    for name in (item.name, *(f"{package}{item.name}InputFormat" for package in _HADOOP))
}


def input_format(name: str) -> InputFormat:
    """The format called ``name``: ``text``, or the name of Hadoop's class for it.

    Raises
    ------
    UsageError
        There is none.
    """
    found = _NAMES.get(name.strip().lower())
    if found is None:
        known = ", ".join(item.name for item in _FORMATS)
        raise UsageError(f"input format {name} is not part of this version", hint=f"there is: {known}")
    return found
