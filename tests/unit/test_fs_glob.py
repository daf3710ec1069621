"""Hadoop's glob rules: examples, and properties against independent matchers."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.errors import UsageError
from xlearning.fs import FileStatus
from xlearning.fs.glob import MAX_ALTERNATIVES, expand_braces, glob, has_wildcard, matches


@pytest.mark.parametrize(
    ("component", "yes", "no"),
    [
        ("*", ["", "a", ".a", "a\nb"], []),
        ("a?c", ["abc", "a.c", "a\nc"], ["ac", "abbc"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "-x", "x"]),
        ("[^a-c]", ["d", "^"], ["a", "c", ""]),
        ("[!x]", ["y", "!"], ["x"]),
        ("[x!^]", ["x", "!", "^"], ["y"]),
        ("[]a]", ["]", "a"], ["b"]),
        ("[^]a]", ["b"], ["]", "a"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[\\]\\-b]", ["]", "-", "b"], ["\\", "c"]),
        ("[.*+(]", [".", "*", "+", "("], ["a"]),
        ("[&&a]", ["&", "a"], ["b"]),
        ("\\*\\?\\[\\{\\\\", ["*?[{\\"], ["a"]),
        ("{a,b}c", ["ac", "bc"], ["c", "abc", "a,b"]),
        ("{a,b{c,d}}", ["a", "bc", "bd"], ["b", "c"]),
        ("x{,y}", ["x", "xy"], ["y"]),
        ("{a}", ["a"], ["{a}"]),
        ("{}", [""], ["{}"]),
        ("a,b}", ["a,b}"], ["a"]),
        ("a]", ["a]"], ["a"]),
        ("{[,],x}", [",", "x"], ["[", "]"]),
        ("{a\\,b,c}", ["a,b", "c"], ["a", "b"]),
        ("a.b+(c)|$^", ["a.b+(c)|$^"], ["aXb+(c)|$^"]),
    ],
)
def test_components(component: str, yes: Sequence[str], no: Sequence[str]) -> None:
    assert [name for name in yes if not matches(name, component)] == []
    assert [name for name in no if matches(name, component)] == []


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("/a[b", "never closed"),
        ("/[a/b]", "never closed"),
        ("/{a,b", "never closed"),
        ("/a\\", "backslash"),
        ("/[z-a]", "backwards"),
        ("/" + "{a,b}" * 14, str(MAX_ALTERNATIVES)),
    ],
)
def test_bad_patterns_are_explained(pattern: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        glob(f"hdfs://h{pattern}", _nothing, lambda _: [FileStatus("hdfs://h/x", 1, False, 0)])


def test_groups_across_folders() -> None:
    assert expand_braces("/{a/{b,c},d}/e") == ["/a/b/e", "/a/c/e", "/d/e"]
    assert expand_braces("/a\\{b,c}") == ["/a\\{b,c}"]


def test_folders_without_wildcard_are_never_listed() -> None:
    listed: list[str] = []
    tree = Tree(["/locked/open/a", "/locked/open/b", "/other/a"])

    def list_folder(path: str) -> list[FileStatus]:
        listed.append(path)
        return tree.list(path)

    assert len(glob("hdfs://h/{locked,other}/{open/,}[ab]", tree.stat, list_folder)) == 3
    assert listed == ["hdfs://h/locked/open/", "hdfs://h/locked/", "hdfs://h/other/open/", "hdfs://h/other/"]


def _nothing(path: str) -> FileStatus:
    raise FileNotFoundError(path)


class Tree:
    """Files of a file system that exists in memory only."""

    def __init__(self, files: Sequence[str]) -> None:
        self.files = set(files)
        self.folders = {"/"} | {f[:i] or "/" for f in files for i in range(len(f)) if f[i] == "/"}
        self.files -= self.folders

    def stat(self, uri: str) -> FileStatus:
        path = self._path(uri)
        if path not in self.files | self.folders:
            raise FileNotFoundError(uri)
        return FileStatus(f"hdfs://h{path}", 0, path in self.folders, 0)

    def list(self, uri: str) -> Sequence[FileStatus]:
        path = self._path(uri)
        if path in self.files:
            return [self.stat(uri)]
        if path not in self.folders:
            raise FileNotFoundError(uri)
        below = sorted(p for p in self.files | self.folders if p != "/" and _parent(p) == path)
        return [self.stat(f"hdfs://h{p}") for p in below]

    @staticmethod
    def _path(uri: str) -> str:
        return uri.removeprefix("hdfs://h").rstrip("/") or "/"


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


NAME = st.text("ab.-[]{},\\*?^!é", min_size=1, max_size=4)
PATHS = st.lists(st.lists(NAME, min_size=1, max_size=3).map(lambda names: "/" + "/".join(names)), max_size=8)
PIECE = st.sampled_from(["a", "b", ".", "é", "*", "?", "[ab]", "[^a]", "[a-c]", "[!b]", "\\*", "\\[", "-"])
SIMPLE = st.lists(PIECE, min_size=1, max_size=4).map("".join)


@given(NAME, SIMPLE)
def test_like_fnmatch_where_both_know_the_rule(name: str, component: str) -> None:
    # fnmatch has neither escapes nor [^x]; both are rewritten to what it has
    same = re.sub(r"\\(.)", r"[\1]", component.replace("[^", "[!"))
    assert matches(name, component) == fnmatch.fnmatchcase(name, same)


@given(NAME)
def test_an_escaped_name_matches_itself_only(name: str) -> None:
    escaped = re.sub(r"([*?\[{\\])", r"\\\1", name)
    assert matches(name, escaped)
    assert not matches(name + "x", escaped)
    assert has_wildcard(escaped) == (escaped != name)


GROUP = st.recursive(
    st.sampled_from(["a", "b", "*", "?", "[ab]", "a/b", "é"]),
    lambda inner: st.lists(st.lists(inner, max_size=2).map("".join), min_size=1, max_size=3).map(
        lambda parts: "{" + ",".join(parts) + "}"
    ),
    max_leaves=8,
)
PATTERN = st.lists(st.one_of(GROUP, st.just("/")), min_size=1, max_size=5).map(lambda p: "/" + "".join(p))


@given(PATHS, PATTERN)
def test_like_a_brute_force_match_of_every_path(paths: list[str], pattern: str) -> None:
    tree = Tree(paths)
    alternatives = [re.sub("/+", "/", text).rstrip("/") or "/" for text in _all_choices(pattern)]
    wanted = {
        path
        for path in tree.files | tree.folders
        for text in alternatives
        if path.count("/") == text.count("/") and (path == "/") == (text == "/")
        if all(
            fnmatch.fnmatchcase(name, part)
            for name, part in zip(path.split("/"), text.split("/"), strict=True)
        )
    }
    found = glob(f"hdfs://h{pattern}", tree.stat, tree.list)
    assert [status.path for status in found] == sorted(f"hdfs://h{path}" for path in wanted)


def _all_choices(pattern: str) -> list[str]:
    """Replace innermost groups one at a time: slow, but nothing like the code under test."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    return [
        text
        for choice in match[1].split(",")
        for text in _all_choices(pattern[: match.start()] + choice + pattern[match.end() :])
    ]
