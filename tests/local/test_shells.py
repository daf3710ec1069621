"""Completion in real shells: a person types the beginning of a line, then Tab."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from submitting import SUBMIT, Gateway, wait_for

from xlearning.cluster.base import ApplicationReport
from xlearning.job import AppState, to_dict

APP = "application_1700000000222_0001"
TYPED = {
    "xl-submit desc": "xl-submit describe ",
    "xl-submit --input-strategy=PL": "xl-submit --input-strategy=PLACEHOLDER ",
    "xl-submit --conf xlearning.input.strat": "xl-submit --conf xlearning.input.strategy=",
    "xl-submit --conf xlearning.input.strategy=DOW": "xl-submit --conf xlearning.input.strategy=DOWNLOAD ",
    "xl-submit --conf-file my-si": "xl-submit --conf-file my-site.xml ",
    "xl-submit --local python tra": "xl-submit --local python train.py ",
    "xl-submit status appl": f"xl-submit status {APP} ",
}
_BASH = """\
PS1=; source <(xl-submit completion bash)
dump() { printf '%s\\n' "$READLINE_LINE" >> typed; READLINE_LINE=; READLINE_POINT=0; }
bind -x '"\\C-o": dump'; bind 'set bell-style none'; touch ready
"""
_ZSH = """\
PS1=; autoload -Uz compinit; compinit -u -D; source <(xl-submit completion zsh); unsetopt beep
dump() { print -r -- "$BUFFER" >> typed; BUFFER= }
zle -N dump; bindkey '^O' dump; touch ready
"""


def need(request: pytest.FixtureRequest, name: str) -> str:
    found = shutil.which(name)
    if found:
        return found
    if os.environ.get("CI") == "true":
        pytest.fail(f"completion is to be tested in {name}, which is not there", pytrace=False)
    request.config.get_terminal_writer().line(f"\nNOT TESTED: there is no {name}", yellow=True)
    pytest.skip(f"there is no {name}")


@pytest.fixture
def user(gateway: Gateway) -> Gateway:
    """Somebody with one job, in a folder with two files."""
    folder = gateway.root / "local" / "apps" / APP
    folder.mkdir(parents=True)
    (folder / "app.json").write_text(json.dumps(to_dict(ApplicationReport(APP, "n", "me", AppState.FAILED))))
    for name in ("my-site.xml", "train.py"):
        (gateway.work / name).touch()
    gateway.environment |= {
        "PATH": f"{SUBMIT.parent}{os.pathsep}{gateway.environment['PATH']}",
        "XDG_CACHE_HOME": str(gateway.root / "cache"),
        "HOME": str(gateway.work),
        "TERM": "xterm",
    }
    return gateway


Type = Callable[[list[str], str], dict[str, str]]


@pytest.fixture
def at_terminal(user: Gateway) -> Iterator[Type]:
    """Starts a shell at a terminal, types lines that each end with Tab, and tells what became of them."""
    master, slave = pty.openpty()
    started: list[subprocess.Popen[bytes]] = []

    def work(words: list[str], setup: str) -> dict[str, str]:
        shell = subprocess.Popen(
            words, cwd=user.work, env=user.environ(), stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
        )  # fmt: skip
        started.append(shell)
        os.write(master, setup.encode())
        found = {}
        wait_for((user.work / "ready").exists, message="the shell does not start")
        for number, line in enumerate(TYPED, start=1):
            os.write(master, f"{line}\t\x0f".encode())
            wait_for(lambda n=number: len(_lines(user)) == n, message=f"nothing comes after {line}")
            found[line] = _lines(user)[-1]
        return found

    yield work
    os.close(slave)
    os.close(master)
    for shell in started:
        shell.kill()
        shell.wait()


def _lines(user: Gateway) -> list[str]:
    path = user.work / "typed"
    return path.read_text().splitlines() if path.exists() else []


def test_bash(request: pytest.FixtureRequest, at_terminal: Type) -> None:
    assert at_terminal([need(request, "bash"), "--norc", "-i"], _BASH) == TYPED


def test_zsh(request: pytest.FixtureRequest, at_terminal: Type) -> None:
    assert at_terminal([need(request, "zsh"), "-f", "-i"], _ZSH) == TYPED


def test_fish(request: pytest.FixtureRequest, user: Gateway) -> None:
    fish = need(request, "fish")
    asks = "\n".join(f"echo '>{line}'; complete -C '{line}'" for line in TYPED)
    program = f"xl-submit completion fish | source\n{asks}"
    done = subprocess.run(
        [fish, "--no-config", "-c", program],
        cwd=user.work,
        env=user.environ(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answers = dict(part.partition("\n")[::2] for part in done.stdout.split(">")[1:])
    for line, expected in TYPED.items():
        offered = [row.partition("\t")[0] for row in answers[line].splitlines()]
        assert expected.split()[-1] in offered, (line, offered)


def test_nobody_is_told_of_errors(user: Gateway) -> None:
    environ = {**user.environ(), "_XL_SUBMIT_COMPLETE": "bash_complete", "XLEARNING_CONF_DIR": "/nowhere"}
    done = subprocess.run([sys.executable, SUBMIT], env=environ, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_the_scripts_are_printed(gateway: Gateway, tmp_path: Path) -> None:
    said = gateway.verb("completion", "zsh")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("#compdef xl-submit\n")
    wrong = gateway.verb("completion", "tcsh")
    assert (wrong.code, wrong.out) == (1, "") and "tcsh" in wrong.err
    assert not list(tmp_path.glob("*.sh"))
