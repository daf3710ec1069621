"""Ctrl-C while ``xl-submit`` loads: it ends as any program does, without a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest


def run(program: str, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("module", ["xlearning.client.cli", "xlearning.client.options"])
def test_while_modules_are_loaded(module: str, tmp_path: Path) -> None:
    """The signal comes while a module is looked for, which no clock could hit."""
    program = (
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from xlearning.client.program import main\n"
        "sys.exit(main())"
    )
    done = run(program, "--local", "--dry-run", "true", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_between_two_steps(tmp_path: Path) -> None:
    program = (
        "import click, sys\n"
        "from xlearning.client import cli, program\n"
        "def interrupted():\n"
        "    try:\n"
        "        raise KeyboardInterrupt\n"
        "    except KeyboardInterrupt as error:\n"
        "        raise click.Abort from error\n"
        "cli.main = interrupted\n"
        "sys.exit(program.main())"
    )
    done = run(program, folder=tmp_path)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
