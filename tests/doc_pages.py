"""Runs the commands of a page and looks whether they say what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from submitting import Gateway

ROOT = Path(__file__).resolve().parents[1]
# Their commands run programs of a framework, in its environment: the tests of these types see to them.
WITH_FRAMEWORK = frozenset(
    f"examples/{name}/README.md"
    for name in ("horovod", "lightgbm", "mpi", "mxnet", "pytorch", "sklearn", "tensorflow", "xgboost")
)
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("examples/**/README.md")), *sorted(ROOT.glob("docs/*.md"))]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What differs from run to run: ids, times, ports, secrets, sizes that depend on a path.
_VARIABLE = [
    (re.compile(r"(application|container)_\d+(_\d+)+"), r"\1_N"),
    (re.compile(r"XLearning-\d+"), "XLearning-N"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"), "TIME"),
    (re.compile(r"after [\dms. ]+s"), "after N s"),
    (re.compile(r"http://[\w.:]+/\S*"), "URL"),
    (re.compile(r"file://\S+"), "FILE"),
    (re.compile(r"\d\.\d+e-\d+"), "TINY"),
    (re.compile(r"(?<= )[\d.]+m?s\b"), "N s"),
    (re.compile(r"[\d.]+ [KM]iB of"), "SIZE of"),
    (re.compile(r"http://[\d.:]+/"), "URL"),
    (re.compile(r" {2,}"), "  "),  # columns are as wide as what is in them
]


def blocks(page: Path) -> list[str]:
    """The console blocks of a page."""
    return _BLOCK.findall(page.read_text(encoding="utf-8"))


def run(page: Path, gateway: Gateway, *programs: Path, seconds: float = 60.0) -> None:
    """Run all commands of a page, one after the other, in the gateway's folder.

    Parameters
    ----------
    programs
        Folders where programs are looked for first.
    seconds
        How long each command may take.
    """
    (gateway.work / "examples").symlink_to(ROOT / "examples")
    environ = gateway.environ()
    places = (*programs, Path(sys.executable).parent, environ["PATH"])
    environ["PATH"] = os.pathsep.join(map(str, places))
    for block in blocks(page):
        for command, expected in _commands(block):
            ended = subprocess.run(
                ["bash", "-c", command],
                cwd=gateway.work,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=seconds,
                check=False,
            )
            assert ended.returncode == 0, f"{command}\n{ended.stdout}"
            said = [_plain(line) for line in ended.stdout.splitlines()]
            missing = [line for line in expected if line != "..." and _plain(line) not in said]
            assert not missing, f"{command}\nsaid\n{ended.stdout}"


def _commands(block: str) -> list[tuple[str, list[str]]]:
    """Command -> the lines that the page shows below it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def _plain(line: str) -> str:
    for pattern, word in _VARIABLE:
        line = pattern.sub(word, line)
    return line.rstrip()
