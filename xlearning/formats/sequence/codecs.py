"""Codecs inside a SequenceFile, by the Java class that its head names."""

from __future__ import annotations

from xlearning.errors import StorageError
from xlearning.formats.codecs.base import Codec
from xlearning.formats.codecs.registry import CODECS, of_class


def packing(class_: str) -> Codec:
    """The codec of the Java class ``class_``, for whole pieces of bytes.

    Raises
    ------
    StorageError
        It is not one that can be read here.
    """
    found = of_class(class_)
    if found is None:
        known = ", ".join(name for codec in CODECS for name in codec.classes)
        raise StorageError(
            f"is compressed with the Java class {class_}, which cannot be read without Java",
            hint="name a Java class that reads it with --inputformat, and its jar with --jars; "
            f"without Java there is: {known}",
        )
    return found
