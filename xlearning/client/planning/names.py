"""How paths and local names are written on the command line: ``path[,path...][#name]``."""

from __future__ import annotations

import posixpath


def split_list(text: str) -> list[str]:
    """Parts between commas; a comma inside ``{}`` or after a backslash belongs to the part.

    Empty parts are dropped: ``a,,b`` is two parts.
    """
    parts, current, depth, escaped = [], "", 0, False
    for char in text:
        if char == "," and depth == 0 and not escaped:
            parts.append(current)
            current = ""
            continue
        if not escaped:
            depth = max(0, depth + (char == "{") - (char == "}"))
        escaped = char == "\\" and not escaped
        current += char
    parts.append(current)
    return [part.strip() for part in parts if part.strip()]


def split_alias(text: str) -> tuple[str, str | None]:
    """``(path, name)`` of ``path#name``; the name is None where there is no ``#``.

    The last ``#`` counts, so a path may hold further ones.
    """
    path, sep, name = text.rpartition("#")
    return (path, name) if sep else (text, None)


def file_name(path: str) -> str:
    """The last component of a path or address: the name that a file has in the containers."""
    return path.rstrip("/").rpartition("/")[2]


def local_name(name: str) -> str:
    """A name for the working folder of a container, in its shortest form.

    Raises
    ------
    ValueError
        The name is empty or would lead out of the working folder; the message says which.
    """
    if not name.strip():
        raise ValueError("it is empty")
    if name.startswith("/"):
        raise ValueError("it starts with /")
    if any(char in name for char in "\0\n\r"):
        raise ValueError("it holds a control character")
    if "://" in name:
        raise ValueError("it is an address, not a name")
    if ".." in name.split("/"):
        raise ValueError("it holds ..")
    short = posixpath.normpath(name)
    if short == ".":
        raise ValueError("it names no folder of its own")
    return short


def plain_name(name: str) -> str:
    """A `local_name` that is a single component.

    Raises
    ------
    ValueError
        As `local_name`, or the name holds a slash.
    """
    short = local_name(name)
    if "/" in short:
        raise ValueError("it holds a slash")
    return short
