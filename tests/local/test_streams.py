"""What the shell does to `xl-submit`: streams that are closed, full or unread, a lost folder, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from submitting import SUBMIT, Gateway


def shell(gateway: Gateway, redirections: str, *words: str) -> subprocess.CompletedProcess[str]:
    script = f'"$@" {redirections}'
    return subprocess.run(
        ["bash", "-c", script, "bash", str(SUBMIT), "--local", *words],
        cwd=gateway.work,
        env=gateway.environ(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "redirections",
    [
        "2>&-",
        "2>/dev/full",
        ">&-",
        ">/dev/full",
        "<&- >&- 2>&-",
        "> >(true)",
        "2> >(true)",
    ],
)
def test_the_job_is_followed_to_its_end(redirections: str, gateway: Gateway) -> None:
    ended = shell(gateway, redirections, "--output", "out#m", "--", "bash", "-c", "echo 1 > m/x")
    assert ended.returncode == 0, ended.stderr
    assert (gateway.work / "out" / "_SUCCESS").exists()
    assert (gateway.work / "out" / "m" / "x").read_text() == "1\n"
    assert "Traceback" not in ended.stderr
    gateway.nothing_is_left()


@pytest.mark.parametrize("word", ["--help", "--dry-run"])
def test_what_nobody_can_read_is_a_failure_in_words(word: str, gateway: Gateway) -> None:
    ended = shell(gateway, ">/dev/full", word, "true")
    assert ended.returncode == 1
    assert "standard output cannot be written: No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("words", [["--local", "--dry-run", "--", "true"], ["config", "--all"]])
def test_a_reader_that_has_left_has_what_it_wanted(words: list[str], gateway: Gateway) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as nobody:
        ended = subprocess.run(
            [str(SUBMIT), *words],
            cwd=gateway.work,
            env=gateway.environ(),
            stdout=nobody,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_folder_that_was_deleted(gateway: Gateway) -> None:
    gateway.root.joinpath("gone").mkdir()
    script = 'cd ../gone && rmdir ../gone && exec "$@"'
    ended = subprocess.run(
        ["bash", "-c", script, "bash", str(SUBMIT), "--local", "true"],
        cwd=gateway.work,
        env=gateway.environ(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert "the current folder was deleted" in ended.stderr


def test_ctrl_c_while_modules_are_loaded_is_silent(gateway: Gateway, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'xlearning.client.cli.submit':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    gateway.environment["PYTHONPATH"] = str(tmp_path)
    ended = shell(gateway, "& wait $!", "true")
    assert ended.returncode == 0, "a shell's background jobs ignore SIGINT"
    ended = subprocess.run(
        [str(SUBMIT), "--local", "true"], env=gateway.environ(), capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")
