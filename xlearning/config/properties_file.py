"""Reads files of properties as Java writes them: ``key=value``, ``key: value``, escapes, continued lines."""

from __future__ import annotations

from pathlib import Path

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
        with path.open(encoding="utf-8") as file:
            result.values = dict(javaproperties.load(file))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # a bad \uXXXX, or bytes that are no UTF-8
        raise ConfigError(f"{path} is no file of properties: {error}") from error
    return result
