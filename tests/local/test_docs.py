"""Docs are true: every console block of README and docs runs here, and says what is printed there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from submitting import Gateway

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("examples/*/README.md")), *sorted(ROOT.glob("docs/*.md"))]
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


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Command -> the lines that the page shows below it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def plain(line: str) -> str:
    for pattern, word in _VARIABLE:
        line = pattern.sub(word, line)
    return line.rstrip()


def blocks(page: Path) -> list[str]:
    return _BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page(page: Path, gateway: Gateway) -> None:
    (gateway.work / "examples").symlink_to(ROOT / "examples")
    environ = gateway.environ()
    environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environ['PATH']}"
    for block in blocks(page):
        for command, expected in commands(block):
            ended = subprocess.run(
                ["bash", "-c", command],
                cwd=gateway.work,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=60,
                check=False,
            )
            assert ended.returncode == 0, f"{command}\n{ended.stdout}"
            said = [plain(line) for line in ended.stdout.splitlines()]
            missing = [line for line in expected if line != "..." and plain(line) not in said]
            assert not missing, f"{command}\nsaid\n{ended.stdout}"


def test_the_pages_have_commands_and_name_the_two_targets() -> None:
    assert len(blocks(ROOT / "README.md")) >= 5
    assert re.findall(r"^    make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE) == ["demo", "test"]


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_make_demo_says_where_everything_is() -> None:
    ended = subprocess.run(
        ["make", "demo"], cwd=ROOT, capture_output=True, text=True, timeout=180, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "Page: http://127.0.0.1:" in ended.stderr
    (model,) = re.findall(r"The model is in (\S+)", ended.stdout)
    assert (ROOT / model).exists()
    assert "What to try next" in ended.stdout
