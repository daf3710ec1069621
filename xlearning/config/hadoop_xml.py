"""Reads Hadoop configuration files, by the rules of ``org.apache.hadoop.conf.Configuration``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from xlearning.config import bounded
from xlearning.errors import ConfigError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_XINCLUDE = "{http://www.w3.org/2001/XInclude}"
_MAX_INCLUDES, _MAX_FILES = 20, 200  # in each other, and in all
_MAX_DEPTH = 100  # elements in each other
_MAX_WARNINGS = 20


class XmlFile:
    """The properties of one file and of what it includes.

    Attributes
    ----------
    values : dict
        Name (trimmed) -> text (exactly as written). An empty value sets nothing.
    finals : set
        Names that later files may not change.
    warnings : list
        What is odd but harmless, in words.
    """

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.finals: set[str] = set()
        self.warnings: list[str] = []
        self.files = 0  # read

    def warn(self, text: str) -> None:
        """Tell something odd, unless there was a lot already."""
        if len(self.warnings) < _MAX_WARNINGS:
            self.warnings.append(text)
        elif len(self.warnings) == _MAX_WARNINGS:
            self.warnings.append(f"{text}, and so on")


def read(path: Path) -> XmlFile:
    """The properties of the file ``path``.

    Raises
    ------
    ConfigError
        The file cannot be read, is not well-formed XML, or has another root than ``<configuration>``.
    """
    result = XmlFile()
    _read_into(result, path, ())
    return result


def write(path: Path, values: dict[str, str]) -> None:
    """Write ``values`` as a Hadoop configuration file, sorted by name."""
    path.write_text(render(values), encoding="utf-8")


def render(values: dict[str, str]) -> str:
    """``values`` as the text of a Hadoop configuration file, sorted by name."""
    from xml.etree import ElementTree

    root = ElementTree.Element("configuration")
    for name, value in sorted(values.items()):
        prop = ElementTree.SubElement(root, "property")
        ElementTree.SubElement(prop, "name").text = name
        ElementTree.SubElement(prop, "value").text = value
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}"


def _read_into(result: XmlFile, path: Path, trail: tuple[Path, ...]) -> None:
    if path in trail or len(trail) > _MAX_INCLUDES:
        raise ConfigError(f"{trail[0]}: xi:include goes in a circle at {path}")
    result.files += 1
    if result.files > _MAX_FILES:
        raise ConfigError(
            f"{(*trail, path)[0]}: xi:include brings more than {_MAX_FILES} files, at last {path}"
        )
    root = _parse(path)
    if root.tag != "configuration":
        raise ConfigError(f"{path}: the root element is <{root.tag}>, not <configuration>")
    _read_children(result, root, path, (*trail, path), 1)


def _parse(path: Path) -> Element:
    from xml.etree import ElementTree

    try:
        return ElementTree.fromstring(bounded.read(path))
    except ElementTree.ParseError as error:
        line, column = error.position
        reason = str(error).partition(": line ")[0]
        raise ConfigError(
            f"{path}: line {line}, column {column + 1}: not well-formed XML: {reason}"
        ) from error
    except (OSError, LookupError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(f"cannot read the configuration file {path}: {reason}") from error


def _read_children(result: XmlFile, parent: Element, path: Path, trail: tuple[Path, ...], depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ConfigError(f"{path}: elements are nested deeper than {_MAX_DEPTH}")
    for element in parent:
        if element.tag == "property":
            _read_property(result, element, path)
        elif element.tag == _XINCLUDE + "include":
            _include(result, element, path, trail, depth)
        elif element.tag == "configuration":
            _read_children(result, element, path, trail, depth + 1)
        else:
            result.warn(f"{path}: unknown element <{element.tag}> is ignored")


def _include(result: XmlFile, element: Element, path: Path, trail: tuple[Path, ...], depth: int) -> None:
    href = element.get("href", "").removeprefix("file://")
    target = path.parent / href
    if not href or "://" in href:
        raise ConfigError(f"{path}: xi:include needs the name of a file, not {href!r}")
    fallback = element.find(_XINCLUDE + "fallback")
    if fallback is not None and not target.is_file():
        _read_children(result, fallback, path, trail, depth + 1)
    else:
        _read_into(result, target, trail)


def _read_property(result: XmlFile, element: Element, path: Path) -> None:
    fields = {name: element.get(name) for name in ("name", "value", "final")}
    for child in element:
        if child.tag in fields:
            fields[child.tag] = "".join(child.itertext())
    name = (fields["name"] or "").strip()
    if not name:
        result.warn(f"{path}: a <property> without a name is ignored")
        return
    if (fields["final"] or "").strip() == "true":
        result.finals.add(name)
    if fields["value"]:
        result.values[name] = fields["value"]
