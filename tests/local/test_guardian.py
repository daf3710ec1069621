"""How a user process starts and ends: exit codes, files, environment, failures."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from xlearning.cluster.exit_words import words
from xlearning.container import guardian
from xlearning.container.process import (
    After,
    ProcessExit,
    UserProcess,
)

PROGRAMS = Path(__file__).parent / "programs"
ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}

Start = Callable[..., Coroutine[Any, Any, UserProcess]]
Run = Callable[..., ProcessExit]


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture(autouse=True)
def no_subreaper_afterwards() -> Iterator[None]:
    before = open_files()
    yield
    guardian.prctl(guardian.PR_SET_CHILD_SUBREAPER, 0)
    assert open_files() <= before


@pytest.fixture
def start(tmp_path: Path) -> Start:
    async def begin(
        *command: str, env: Mapping[str, str] = ENV, cwd: Path = tmp_path, grace: float = 0.3
    ) -> UserProcess:
        out, err = tmp_path / "out.log", tmp_path / "err.log"
        return await UserProcess.start(command, env, cwd, out, err, grace)

    return begin


@pytest.fixture
def run(start: Start) -> Run:
    def whole(*command: str, **options: Any) -> ProcessExit:
        async def live() -> ProcessExit:
            return await (await start(*command, **options)).wait()

        return asyncio.run(live())

    return whole


def sh(text: str) -> Sequence[str]:
    return ("sh", "-c", text)


@pytest.mark.parametrize("code", [0, 1, 3, 126, 127, 255])
def test_exit_code(run: Run, code: int) -> None:
    end = run(*sh(f"exit {code}"))
    assert end.code == code
    assert end.reason == (words(code) if code else "")


@pytest.mark.parametrize("name", ["KILL", "TERM", "SEGV", "ABRT"])
def test_signal(run: Run, name: str) -> None:
    end = run(*sh(f"kill -{name} $$"))
    assert end.code == 128 + signal.Signals[f"SIG{name}"]
    assert f"SIG{name}" in end.reason


def test_output_is_appended_to_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out.log").write_text("before\n")
    run(*sh("echo out; echo err >&2"))
    assert (tmp_path / "out.log").read_text() == "before\nout\n"
    assert (tmp_path / "err.log").read_text() == "err\n"


def test_stdin_is_empty(run: Run, tmp_path: Path) -> None:
    assert run(sys.executable, "-c", "import sys; print(repr(sys.stdin.read()))").code == 0
    assert (tmp_path / "out.log").read_text() == "''\n"


def test_starts_with_clean_signals_files_and_session(run: Run, tmp_path: Path) -> None:
    assert run(sys.executable, str(PROGRAMS / "signals.py")).code == 0
    assert (tmp_path / "out.log").read_text().splitlines() == [
        "blocked 0",
        "ignored [13, 25]",  # by this Python itself: SIGPIPE and SIGXFSZ
        "fds [0, 1, 2]",
        "session True True",
    ]


def test_broken_pipe_ends_a_program_as_in_a_shell(run: Run) -> None:
    assert run("bash", "-c", "yes | head -1 >/dev/null; exit ${PIPESTATUS[0]}").code == 141


def test_environment_arrives_byte_for_byte_and_alone(run: Run, tmp_path: Path) -> None:
    env = {"PATH": ENV["PATH"], "A": "ü\n=\"'", "B": b"\xff".decode("utf-8", "surrogateescape"), "C": ""}
    code = "import os, sys; sys.stdout.buffer.write(b'|'.join(os.environb[k] for k in (b'A', b'B', b'C')))"
    assert run(sys.executable, "-I", "-c", code, env=env).code == 0
    assert (tmp_path / "out.log").read_bytes() == "ü\n=\"'|".encode() + b"\xff|"
    (tmp_path / "out.log").unlink()
    env = {"LONG": "x" * 100_000, "PATH": ENV["PATH"]}
    assert run("env", env=env).code == 0
    lines = (tmp_path / "out.log").read_text().splitlines()
    assert sorted(lines) == [f"{name}={value}" for name, value in env.items()]


def test_command_is_looked_up_along_the_programs_own_path(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "only-here").write_text("#!/bin/sh\nexit 7\n")
    (folder / "only-here").chmod(0o755)
    assert run("only-here").code == 127
    assert run("only-here", env={"PATH": f"/bin:{folder}"}).code == 7
    assert run("only-here", env={"PATH": "/bin:bin"}).code == 7, "relative to the working folder"
    assert run("sh", "-c", "exit 5", env={}).code == 5, "without PATH the system's default"


def test_relative_command_belongs_to_the_working_folder(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("exit 9\n")
    end = run("./run.sh")
    assert (end.code, end.reason) == (126, "./run.sh is not executable")
    script.chmod(0o755)
    assert run("./run.sh").code == 9, "a script without #! runs in the shell"


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (["no-such-program"], 127, "command not found: no-such-program (PATH=/usr/local/bin:/usr/bin:/bin)"),
        (["./no-such-program"], 127, "command not found: ./no-such-program"),
        (["/"], 126, "/ is a folder"),
        (["/etc/hostname/x"], 127, "command not found"),
        (["./bad"], 126, "./bad: the interpreter that its first line names is missing"),
        (["echo", "x" * 200_000], 126, "the kernel starts no program with a command of 200006 bytes"),
        (["echo", "a\0b"], 126, "null byte"),
    ],
)
def test_cannot_be_started(run: Run, tmp_path: Path, command: list[str], code: int, words: str) -> None:
    (tmp_path / "bad").write_text("#!/no/such/interpreter\n")
    (tmp_path / "bad").chmod(0o755)
    end = run(*command)
    assert end.code == code
    assert words in end.reason


def test_the_other_python_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "python3").symlink_to("/bin/true")
    end = run("python", env={"PATH": str(tmp_path)})
    assert (end.code, end.reason) == (127, f"command not found: python (PATH={tmp_path}; python3 is there)")
    assert "is there" not in run("python3", env={"PATH": "/nowhere"}).reason


def test_working_folder_or_log_folder_is_missing(run: Run, tmp_path: Path) -> None:
    end = run("true", cwd=tmp_path / "nowhere")
    assert end.code == 126
    assert f"working folder {tmp_path / 'nowhere'}" in end.reason

    async def live() -> ProcessExit:
        missing = tmp_path / "none" / "out"
        process = await UserProcess.start(["true"], ENV, tmp_path, missing, missing)
        assert process.pid is None
        assert process.tree() == []
        return await process.stop()

    assert "none/out: No such file" in asyncio.run(live()).reason


def test_what_a_program_leaves_behind_is_swept(run: Run) -> None:
    end = run(*sh("setsid sleep 60 & sleep 60 & exit 4"))
    assert (end.code, end.swept) == (4, 2)


def test_the_end_of_the_program_is_told_before_that_of_what_it_left(start: Start, tmp_path: Path) -> None:
    """What it left ends when that was told, and ignores the order to end."""

    async def live() -> tuple[ProcessExit, ProcessExit]:
        left = "(trap '' TERM; until [ -e told ]; do sleep 0.02; done) & exit 4"
        process = await start(*sh(left), grace=600.0)
        alone = await process.wait_alone()
        (tmp_path / "told").touch()
        return alone, await process.wait()

    alone, whole = asyncio.run(live())
    assert alone == ProcessExit(4, "exit code 4")
    assert (whole.code, whole.reason) == (4, "exit code 4")


def test_what_ends_by_itself_in_time_is_not_cut_short(run: Run, tmp_path: Path) -> None:
    script = "(trap '' TERM; read line; echo $line > late) < fifo & exec 3> fifo; echo whole >&3; exit 0"
    os.mkfifo(tmp_path / "fifo")
    assert run(*sh(script)) == ProcessExit(0, "", 0)
    assert (tmp_path / "late").read_text() == "whole\n"


def test_stop_gives_time_to_react(start: Start, tmp_path: Path) -> None:
    async def live() -> ProcessExit:
        process = await start(*sh("trap 'echo saved; exit 8' TERM; echo ready; while :; do sleep 0.05; done"))
        await until_written(tmp_path / "out.log", "ready")
        return await process.stop(20)

    assert asyncio.run(live()).code == 8
    assert "saved" in (tmp_path / "out.log").read_text()


def test_a_later_stop_can_make_the_end_come_sooner(start: Start, tmp_path: Path) -> None:
    async def live() -> ProcessExit:
        process = await start(sys.executable, str(PROGRAMS / "stubborn.py"))
        await until_written(tmp_path / "out.log", "ready")
        process.order_stop(600)
        return await process.stop(0)

    assert asyncio.run(live()).code == 137


def test_a_guardian_that_is_stopped_before_it_tells_of_the_start_runs_on(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that stops its parent may be faster than that one's report."""
    stops = tmp_path / "stops.py"
    stops.write_text(
        "import os, runpy, signal\n"
        "os.kill(os.getpid(), signal.SIGSTOP)\n"
        f"runpy.run_path({guardian.__file__!r}, run_name='__main__')\n"
    )
    monkeypatch.setattr(guardian, "__file__", str(stops))
    assert run(*sh("exit 3")).code == 3


def test_stop_after_the_end_and_waiting_twice(start: Start) -> None:
    async def live() -> None:
        process = await start("true")
        waiting = asyncio.create_task(process.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        assert (await process.wait()).code == 0
        assert (await process.stop()).code == 0
        process.order_stop()

    asyncio.run(live())


def test_tree_shows_all_processes(start: Start, tmp_path: Path) -> None:
    async def live() -> None:
        process = await start(sys.executable, str(PROGRAMS / "daemon.py"))
        await until_written(tmp_path / "out.log", "ready")
        tree = {one.pid: one for one in process.tree() if one.status() != psutil.STATUS_ZOMBIE}
        assert process.pid in tree
        assert len(tree) == 2
        assert process.guardian_pid not in tree
        await process.stop()
        assert process.tree() == []

    asyncio.run(live())


def test_many_side_by_side(start: Start) -> None:
    async def live() -> list[ProcessExit]:
        processes = await asyncio.gather(*(start(*sh(f"exit {n}")) for n in range(10)))
        return await asyncio.gather(*(process.wait() for process in processes))

    assert [end.code for end in asyncio.run(live())] == list(range(10))


@pytest.mark.parametrize("killed", [False, True], ids=["guardian", "agent"])
def test_what_is_run_afterwards_needs_no_folder(tmp_path: Path, *, killed: bool) -> None:
    """YARN removes the folders of what it kills; a Docker container must end all the same."""
    logs, ended = tmp_path / "logs", tmp_path / "ended"
    after = After(sh(f"echo said; touch {ended}"), ENV, logs / "docker.log")

    async def live() -> ProcessExit:
        logs.mkdir()
        process = await UserProcess.start(
            ("sleep", "60"), ENV, tmp_path, logs / "out", logs / "err", grace=0.0, after=after
        )
        shutil.rmtree(logs)
        if killed:
            os.kill(process.guardian_pid, signal.SIGKILL)
        return await process.stop()

    assert asyncio.run(live()).code == 128 + (signal.SIGKILL if killed else signal.SIGTERM)
    assert ended.exists()


def test_guardians_death_is_told_and_others_are_spared(tmp_path: Path) -> None:
    """In a process of its own: the sweep would take the children of the test run too."""
    subprocess.run([sys.executable, str(PROGRAMS / "deserted.py"), str(tmp_path)], check=True, timeout=90)


def test_sweep_descendants_ends_orphans_and_spares_the_kept() -> None:
    """In a process of its own: the sweep would take the children of the test run too."""
    subprocess.run([sys.executable, str(PROGRAMS / "sweeper.py")], check=True, timeout=60)


async def until_written(path: Path, text: str) -> None:
    async def look() -> None:
        while text not in (path.read_text() if path.exists() else ""):
            await asyncio.sleep(0.01)

    await asyncio.wait_for(look(), 30)
