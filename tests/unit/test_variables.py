"""``--env``, ``--env-file`` and the additions to search paths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.client.api.job import Job
from xlearning.client.api.order import request_of
from xlearning.client.planning.request import Request
from xlearning.client.planning.variables import search_paths, tell_placeholders, variables
from xlearning.client.problems import Problem
from xlearning.client.scan import scan
from xlearning.config import Config
from xlearning.job import SearchPaths

CONFIG = Config.from_properties({"hbox.container.env.A": "property", "xlearning.container.env.B": "b"})


def read(*words: str, **environ: str) -> tuple[dict[str, str], list[str], list[str]]:
    problems: list[Problem] = []
    line = scan(words)
    request = Request(env=line.many("env"), env_files=line.many("env-file"))
    found = variables(request, CONFIG, problems, environ)
    return found, [f"{problem.message}; {problem.fix}" for problem in problems], line.notes


def test_the_value_begins_at_the_first_equals_sign() -> None:
    found, problems, notes = read("--env", "X=a=b,c d", "--env=Y=", "-env", "Z= ' \"$HOME${index}\n")
    assert found == {"A": "property", "B": "b", "X": "a=b,c d", "Y": "", "Z": " ' \"$HOME${index}\n"}
    assert not problems and not notes


@given(st.text(st.characters(exclude_characters="\0"), max_size=30))
def test_any_value_arrives_as_it_is(value: str) -> None:
    assert read(f"--env=X={value}")[0]["X"] == value


def test_a_name_alone_passes_on_the_variable() -> None:
    found, problems, _ = read("--env", "HERE", "--env", "GONE", HERE="x=y")
    assert found["HERE"] == "x=y"
    assert problems == [
        "--env GONE: there is no such variable in this shell to pass on; write GONE=VALUE, or export it first"
    ]


def test_names_of_properties_are_judged_too() -> None:
    problems: list[Problem] = []
    variables(Request(), Config.from_properties({"xlearning.container.env.A B": "x"}), problems, {})
    assert "--conf xlearning.container.env.A B: 'A B' is no name of a variable" in problems[0].message


@pytest.mark.parametrize("text", ["=x", "A B=x", "A\t=x"])
def test_names_that_are_none(text: str) -> None:
    assert "is no name of a variable" in read("--env", text)[1][0]


def test_precedence_and_repetition(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=file\nB=file\nC=file\n")
    (tmp_path / "more.env").write_text("C=more\n")
    files = ("--env-file", str(tmp_path / ".env"), "--env-file", str(tmp_path / "more.env"))
    found, problems, notes = read("--env", "A=1", "--env", "A=2", "--env", "D=3", "--env=D=3", *files)
    assert found == {"A": "2", "B": "file", "C": "more", "D": "3"}
    assert not problems
    assert notes == ["--env A is given twice: the last counts"]


def test_a_file_as_others_read_it(tmp_path: Path) -> None:
    text = "# a comment\n\nexport P=1\nQ=\"a b # c\"\nR='$HOME ${x}'\nS = spaced # comment\nT=a=b\nHERE\nU=\n"
    (tmp_path / "e").write_text(text, encoding="utf-8")
    found, problems, _ = read("--env-file", str(tmp_path / "e"), HERE="h")
    assert found == {
        **{"A": "property", "B": "b", "P": "1", "Q": "a b # c", "R": "$HOME ${x}", "S": "spaced", "T": "a=b"},
        **{"HERE": "h", "U": ""},
    }
    assert not problems


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text('GOOD=1\nX="never closed\n')
    names = ("bad", "gone")
    _, problems, _ = read(*(word for name in names for word in ("--env-file", str(tmp_path / name))))
    assert "bad, line 2: 'X=\"never closed' cannot be read; write NAME=VALUE" in problems[0]
    assert "gone cannot be read: No such file or directory; correct the path" in problems[1]


def test_a_file_without_read_permission(tmp_path: Path) -> None:
    path, own = tmp_path / "secret", os.geteuid()
    path.touch(0)
    if own == 0:  # who may read everything
        os.seteuid(65534)
    try:
        _, problems, _ = read("--env-file", str(path))
    finally:
        os.seteuid(own)
    told = "cannot be read: Permission denied; ask its owner for read permission (chmod +r)"
    assert problems == [f"--env-file {path} {told}"]


def test_search_paths() -> None:
    problems: list[Problem] = []
    request = Request(jars=("lib/a.jar,hdfs://nn/x/b.jar", "lib/a.jar"), path="/opt/bin:/x")
    assert search_paths(request, CONFIG, problems) == SearchPaths(("a.jar", "b.jar"), True, "/opt/bin:/x", "")
    request = Request(library_path="lib", jars=("a:b.jar",))
    config = Config.from_properties({"xlearning.user.classpath.first": "false"})
    assert search_paths(request, config, problems) == SearchPaths(("a:b.jar",), False, "", "lib")
    assert [problem.message for problem in problems] == [
        "--jars: a:b.jar cannot be on a CLASSPATH: it holds a colon"
    ]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--env", "X=${role}", "python", "--rank=${index}"], "${index}, ${role} stay as they are"),
        (["python", "${index}"], "${index} stays as it is"),
        (["python", "$${index}", "${INDEX}", "$$"], ""),
        (["--template", "python", "${index}"], ""),
        (["--template=false", "python", "${index}"], ""),
    ],
)
def test_placeholders_that_nobody_fills_in_are_told(words: list[str], told: str) -> None:
    notes: list[str] = []
    tell_placeholders(request_of(Job.of_line(scan(words))), notes)
    assert [note.partition(";")[0] for note in notes] == ([told] if told else [])
