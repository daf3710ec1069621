"""The first code on a node says in words and by exit code why nothing runs."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from interpreters import other_pythons, version_of

from xlearning.container import bootstrap

SCRIPT = Path(bootstrap.__file__)


def run(part: str, packages: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(packages)} if packages else None
    command = [sys.executable, *(["-S"] if packages else []), str(SCRIPT), part]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


def package(folder: Path, body: str) -> Path:
    """A stand-in for our package whose agent is ``body``."""
    room = folder / "xlearning" / "container"
    room.mkdir(parents=True)
    (folder / "xlearning" / "__init__.py").touch()
    (room / "__init__.py").touch()
    (room / "__main__.py").write_text(body)
    return folder


def test_parses_on_old_pythons() -> None:
    ast.parse(SCRIPT.read_text(), feature_version=(3, 6))
    assert "from __future__" not in SCRIPT.read_text(), "annotations came with 3.7"


def test_imports_the_standard_library_only() -> None:
    tree = ast.parse(SCRIPT.read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(tree))
    assert names <= sys.stdlib_module_names


def test_every_code_has_words() -> None:
    assert set(bootstrap.EXIT_WORDS) == set(range(230, 237))


def test_old_python(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 6, 8))
    assert bootstrap.main("agent") == bootstrap.WRONG_PYTHON
    (line,) = capsys.readouterr().err.splitlines()
    assert "older than 3.10" in line
    assert sys.executable in line
    assert "xlearning.python" in line


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("import no_such_package", 231, "agent cannot be imported: No module named 'no_such_package'"),
        (
            "raise ImportError('version `GLIBC_2.34\\' not found\\n(required by x.so)')",
            231,
            "not found (required",
        ),
        ("def main(): import no_such_package", 231, "No module named"),
        ("1 / 0", 232, "agent failed: ZeroDivisionError: division by zero"),
        ("class Panic(BaseException): pass\nraise Panic('rust')", 232, "Panic: rust"),
        ("def main(): raise OSError('disk')", 232, "OSError: disk"),
    ],
)
def test_failure_ends_with_a_sentence(tmp_path: Path, body: str, code: int, words: str) -> None:
    result = run("agent", package(tmp_path, body))
    assert result.returncode == code
    last = result.stderr.splitlines()[-1]
    assert last.startswith("xlearning: ")
    assert words in last
    assert bootstrap.EXIT_WORDS[code] in last
    assert "Traceback" in result.stderr


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("def main(): return 0", 0),
        ("def main(): pass", 0),
        ("def main(): return 5", 5),
        ("def main(): raise SystemExit(7)", 7),
    ],
)
def test_exit_code_of_the_part_is_passed_on(tmp_path: Path, body: str, code: int) -> None:
    result = run("agent", package(tmp_path, body))
    assert (result.returncode, result.stderr) == (code, "")


def made(**values: object) -> dict[str, Any]:
    """A manifest that fits this interpreter and machine but for ``values``."""
    return {"abi": bootstrap._abi(), "glibc": None, "machine": os.uname().machine, **values}


@pytest.mark.parametrize(
    ("values", "code", "words"),
    [
        ({}, 0, ""),
        ({"glibc": [2, 5]}, 0, ""),
        ({"glibc": [9, 1]}, bootstrap.OTHER_LIBC, "the package needs glibc 9.1, this node has"),
        ({"abi": "cp399"}, bootstrap.OTHER_PYTHON, f"for cp399, this Python is {bootstrap._abi()}"),
        ({"machine": "vax"}, bootstrap.OTHER_MACHINE, "the package is for vax, this node is"),
    ],
)
def test_a_package_for_other_nodes(values: dict[str, object], code: int, words: str) -> None:
    found, said = bootstrap.unfit(made(**values))
    assert found == code
    assert words in said


def test_a_package_for_other_nodes_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    package(tmp_path, "1 / 0")
    (tmp_path / bootstrap.MANIFEST).write_text(json.dumps(made(abi="cp399")))
    result = run("agent", tmp_path)
    assert result.returncode == bootstrap.OTHER_PYTHON
    (line,) = result.stderr.splitlines()
    assert "the package is for cp399" in line
    assert "xlearning.nodes.python" in line


@pytest.mark.parametrize("python", other_pythons(), ids=str)
def test_with_other_interpreters_of_this_machine(python: Path, tmp_path: Path) -> None:
    package(tmp_path, "def main(): return 0")
    (tmp_path / bootstrap.MANIFEST).write_text(json.dumps(made()))
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [str(python), str(SCRIPT), "am"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    old = version_of(python) < bootstrap.MINIMUM
    assert done.returncode == (bootstrap.WRONG_PYTHON if old else bootstrap.OTHER_PYTHON)
    (line,) = done.stderr.splitlines()
    assert line.startswith("xlearning: the am cannot run")


def test_own_folder_is_not_on_the_path(tmp_path: Path) -> None:
    body = f"import sys\nassert {str(SCRIPT.parent)!r} not in sys.path\ndef main(): return 6"
    assert run("agent", package(tmp_path, body)).returncode == 6


def test_unknown_part_is_refused() -> None:
    result = run("nothing")
    assert result.returncode == 1
    assert "agent|am" in result.stderr
