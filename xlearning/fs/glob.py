"""Hadoop's glob rules, for every file system alike.

The rules are those of Hadoop's ``GlobPattern`` and ``GlobExpander``: ``*`` any run of characters and
``?`` one character, neither crossing ``/``; ``[a-c]`` one of a set, ``[^x]`` or ``[!x]`` one outside it;
``{a,b}`` alternatives, nested and across ``/``; ``\\c`` the character itself. Names that begin with a dot
match like any other. Components without a wildcard are never listed, so folders that may be entered but
not read can be crossed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from xlearning.errors import UsageError
from xlearning.fs.base import FileStatus, split_uri

MAX_ALTERNATIVES = 10_000

_Tokens = list[str]


def glob(
    pattern: str,
    stat: Callable[[str], FileStatus],
    list_folder: Callable[[str], Sequence[FileStatus]],
) -> list[FileStatus]:
    """What ``pattern`` matches, sorted by path and without duplicates; empty when nothing does.

    Parameters
    ----------
    pattern : str
        Full URI; wildcards in its path only.
    stat, list_folder : callable
        The two methods of `FileSystem`.

    Raises
    ------
    UsageError
        The pattern is malformed.
    """
    scheme, authority, path = split_uri(pattern)
    root = f"{scheme}://{authority}" if scheme else ""
    listed: dict[str, Sequence[FileStatus]] = {}

    def children(folder: str) -> Sequence[FileStatus]:
        if folder not in listed:
            listed[folder] = _children(folder, list_folder)
        return listed[folder]

    found: dict[str, FileStatus] = {}
    for alternative in _expand(_tokens(path), pattern):
        for status in _matches(root, _components(alternative), stat, children, pattern):
            found[status.path] = status
    return [found[key] for key in sorted(found)]


def has_wildcard(pattern: str) -> bool:
    """Whether ``pattern`` holds any character with a meaning: a wildcard, a set, a group or an escape."""
    return any(char in pattern for char in "*?[{\\")


def expand_braces(pattern: str) -> list[str]:
    """``pattern`` with every ``{a,b}`` written out; escapes and sets stay as they are."""
    return ["".join(tokens) for tokens in _expand(_tokens(pattern), pattern)]


def matches(name: str, component: str) -> bool:
    """Whether one file name matches one pattern component (groups allowed)."""
    return any(_regex(tokens, component).fullmatch(name) for tokens in _expand(_tokens(component), component))


def _tokens(pattern: str) -> _Tokens:
    """Split into single characters, escapes (``\\c``) and whole sets (``[...]``)."""
    tokens: _Tokens = []
    at = 0
    while at < len(pattern):
        end = at + 1
        if pattern[at] == "\\":
            if end == len(pattern):
                raise _bad(pattern, "ends with a backslash that escapes nothing")
            end += 1
        elif pattern[at] == "[":
            end = _set_end(pattern, at)
        tokens.append("/" if pattern[at:end] == "\\/" else pattern[at:end])
        at = end
    return tokens


def _set_end(pattern: str, start: int) -> int:
    at = start + 1
    if pattern[at : at + 1] in ("^", "!"):
        at += 1
    if pattern[at : at + 1] == "]":  # first in a set, it stands for itself
        at += 1
    while at < len(pattern) and pattern[at] not in "]/":
        at += 2 if pattern[at] == "\\" else 1
    if at >= len(pattern) or pattern[at] == "/":
        raise _bad(pattern, f"has a '[' at character {start + 1} that is never closed")
    return at + 1


def _expand(tokens: _Tokens, pattern: str) -> list[_Tokens]:
    if "{" not in tokens:
        return [tokens]
    start = tokens.index("{")
    choices, end = _choices(tokens, start, pattern)
    middles = [middle for choice in choices for middle in _expand(choice, pattern)]
    tails = _expand(tokens[end:], pattern)
    if len(middles) * len(tails) > MAX_ALTERNATIVES:
        raise _bad(pattern, f"stands for more than {MAX_ALTERNATIVES} alternatives")
    return [tokens[:start] + middle + tail for middle in middles for tail in tails]


def _choices(tokens: _Tokens, start: int, pattern: str) -> tuple[list[_Tokens], int]:
    """The alternatives of the group that opens at ``start``, and the position after it."""
    choices: list[_Tokens] = [[]]
    depth = 1
    for at in range(start + 1, len(tokens)):
        token = tokens[at]
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth == 0:
            return choices, at + 1
        if token == "," and depth == 1:
            choices.append([])
        else:
            choices[-1].append(token)
    raise _bad(pattern, "has a '{' that is never closed")


def _components(tokens: _Tokens) -> list[_Tokens]:
    components: list[_Tokens] = [[]]
    for token in tokens:
        if token == "/":
            components.append([])
        else:
            components[-1].append(token)
    return [component for component in components if component]


def _matches(
    root: str,
    components: list[_Tokens],
    stat: Callable[[str], FileStatus],
    children: Callable[[str], Sequence[FileStatus]],
    pattern: str,
) -> Iterable[FileStatus]:
    paths = [root]
    for position, component in enumerate(components):
        last = position == len(components) - 1
        if not _is_wild(component):
            paths = [f"{path}/{_literal(component)}" for path in paths]
            continue
        regex = _regex(component, pattern)
        hits = [
            status
            for path in paths
            for status in children(path or "/")
            if regex.fullmatch(status.name) and (last or status.is_dir)
        ]
        if last:
            return hits
        paths = [status.path for status in hits]
    return [status for path in paths for status in _stat(path if components else f"{path}/", stat)]


def _children(folder: str, list_folder: Callable[[str], Sequence[FileStatus]]) -> Sequence[FileStatus]:
    try:
        # a file lists as itself, and nothing lies below a file
        return [status for status in list_folder(f"{folder}/") if status.path != folder]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _stat(path: str, stat: Callable[[str], FileStatus]) -> list[FileStatus]:
    try:
        return [stat(path)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_wild(component: _Tokens) -> bool:
    return any(token in ("*", "?") or token[0] == "[" for token in component)


def _literal(component: _Tokens) -> str:
    return "".join(token[-1] if token[0] == "\\" else token for token in component)


def _regex(component: _Tokens, pattern: str) -> re.Pattern[str]:
    parts: list[str] = []
    for token in component:
        if token == "*":
            if parts[-1:] != [".*"]:
                parts.append(".*")
        elif token == "?":
            parts.append(".")
        elif token[0] == "[" and len(token) > 1:
            parts.append(_set_regex(token, pattern))
        else:
            parts.append(re.escape(token[-1] if token[0] == "\\" else token))
    return re.compile("".join(parts), re.DOTALL)


def _set_regex(token: str, pattern: str) -> str:
    body = token[1:-1]
    negated = body[:1] in ("^", "!")
    members = re.findall(r"\\(?s:.)|(?s:.)", body[1:] if negated else body)
    parts: list[str] = []
    at = 0
    while at < len(members):
        low = high = members[at][-1]
        if at + 2 < len(members) and members[at + 1] == "-":
            high = members[at + 2][-1]
            at += 2
        if low > high:
            raise _bad(pattern, f"has a range that runs backwards: '{low}-{high}'")
        parts.append(f"{re.escape(low)}-{re.escape(high)}")
        at += 1
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _bad(pattern: str, what: str) -> UsageError:
    return UsageError(
        f"the pattern '{pattern}' {what}",
        hint="put a backslash before a character of * ? [ { \\ that is part of a name",
    )
