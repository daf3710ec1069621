"""Reads files of properties as Java writes them: ``key=value``, ``key: value``, escapes, continued lines."""

from __future__ import annotations

import io
from pathlib import Path

from xlearning.config import bounded
from xlearning.config.hadoop_xml import XmlFile
from xlearning.errors import ConfigError


def read(path: Path) -> XmlFile:
    """The properties of the file ``path``, which is UTF-8. Nothing in it is final.

    Raises
    ------
    ConfigError
        The file cannot be read, or holds a bad escape.
    """
    import javaproperties

    result = XmlFile()
    try:
        text = io.StringIO(bounded.read(path).decode("utf-8"), newline=None)
        result.values = dict(javaproperties.load(text))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # a bad \uXXXX, bytes that are no UTF-8, or no end
        raise ConfigError(f"{path} is no file of properties: {error}") from error
    return result
