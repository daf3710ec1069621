"""What doctor says about machines in bad shape, and about the container of a job."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from xlearning.client.doctor import inside, machine
from xlearning.client.doctor.model import Mark


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def path_of(folder: Path) -> dict[str, str]:
    return {"PATH": str(folder)}


def test_folders(tmp_path: Path) -> None:
    found = machine.folder(tmp_path, "move", room=1)
    assert (found.mark, found.text.startswith(f"{tmp_path}: ")) == (Mark.OK, True)
    assert "made when it is needed" in machine.folder(tmp_path / "a" / "b", "move", room=1).text
    assert list(tmp_path.iterdir()) == []
    small = machine.folder(tmp_path, "move", room=2**60)
    assert small.mark is Mark.WARNING and "free at least" in small.fix
    (tmp_path / "file").write_text("")
    assert machine.folder(tmp_path / "file", "move").text == f"{tmp_path / 'file'} is not a folder"
    closed = machine.folder(Path("/proc/self"), "move")  # nobody, root neither, makes files there
    assert (closed.mark, "cannot be written to" in closed.text, closed.fix) == (Mark.PROBLEM, True, "move")


def test_shared_memory(tmp_path: Path) -> None:
    assert machine.shared_memory(tmp_path / "none").mark is Mark.WARNING
    assert machine.shared_memory(tmp_path).mark is Mark.OK


def test_limits() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (600, hard))
    try:
        few = machine.limits()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (few.mark, "600 open files" in few.text, "ulimit -n" in few.fix) == (Mark.WARNING, True, True)


def test_ports(tmp_path: Path) -> None:
    ephemeral = tmp_path / "range"
    ephemeral.write_text("64000\t65000\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        none = machine.ports("127.0.0.1", port, port + 1, ephemeral)
    assert (none.mark, f"{port} to {port}" in none.text) == (Mark.PROBLEM, True)
    few = machine.ports("127.0.0.1", port, port + 1, ephemeral)
    assert (few.mark, "a range of 1 is soon used up" in few.text) == (Mark.WARNING, True)
    clash = machine.ports("127.0.0.1", 20000, 64001, ephemeral)
    assert (clash.mark, "64000 to 65000" in clash.text) == (Mark.WARNING, True)
    assert machine.ports("127.0.0.1", 20000, 30000, tmp_path / "none").mark is Mark.OK


def test_what_a_program_has_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = tmp_path / "pid"
    hangs = script(tmp_path, "java", f"sleep 1000 & echo $! > {pid}.new; mv {pid}.new {pid}; wait")
    for patience in (0.5, 5.0, 50.0):  # a busy machine needs a while to get as far
        monkeypatch.setattr(machine, "_PROGRAM_PATIENCE", patience)
        with pytest.raises(subprocess.TimeoutExpired):
            machine.run([str(hangs)], os.environ)
        if pid.exists():
            break
    child = int(pid.read_text())
    deadline = time.monotonic() + 20
    while alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_the_python_of_programs(tmp_path: Path) -> None:
    none = machine.python_of_programs(path_of(tmp_path))
    assert (none.mark, none.text) == (Mark.WARNING, "there is no python on PATH")
    script(tmp_path, "python3", "exit 0")
    assert f"python3 is {tmp_path / 'python3'}" in machine.python_of_programs(path_of(tmp_path)).text
    good = script(tmp_path, "python", "echo 3.11.2 /opt/python numpy torch")
    assert machine.python_of_programs(path_of(tmp_path)).text == (
        f"3.11.2 ({good}, which is /opt/python); has numpy, torch"
    )
    script(tmp_path, "python", "exit 3")
    assert "ends with exit code 3" in machine.python_of_programs(path_of(tmp_path)).text
    good.write_bytes(b"\x7fELF no program")
    assert "does not run" in machine.python_of_programs(path_of(tmp_path)).text


@pytest.mark.parametrize(
    ("skew", "secure", "mark", "words"),
    [
        (0.2, True, Mark.OK, "as X's"),
        (-3.0, False, Mark.OK, "3.0 s behind X"),
        (20.0, True, Mark.WARNING, "20.0 s ahead of X"),
        (-400.0, False, Mark.WARNING, "400.0 s behind X"),
        (400.0, True, Mark.PROBLEM, "Kerberos refuses"),
    ],
)
def test_clocks(skew: float, secure: bool, mark: Mark, words: str) -> None:
    found = machine.clock(skew, "X", secure=secure)
    assert (found.mark, words in found.text) == (mark, True)


def test_environment_and_encoding_of_a_container() -> None:
    whole = {
        **dict.fromkeys(("INDEX", "HOME", "USER", "LANG", "TMPDIR"), "x"),
        "PATH": "/bin",
        "TOKEN": "s3cret",
    }
    found = inside.environment(whole)
    assert (found.mark, "s3cret" in found.text) == (Mark.OK, False)
    found = inside.environment({"TOKEN": "s3cret"})
    assert (found.mark, "not set: INDEX, HOME" in found.text, "s3cret" in found.text) == (
        *(Mark.WARNING, True, False),
    )
    assert inside.encoding({"LANG": "C.UTF-8"}, "UTF-8").mark is Mark.OK
    assert inside.encoding({}, "ANSI_X3.4-1968").mark is Mark.WARNING


def test_memory_and_gpus_of_a_container(tmp_path: Path) -> None:
    assert inside.memory_seen(1024, None, 2**34).mark is Mark.OK
    assert inside.memory_seen(1024, 2**30, 2**34).mark is Mark.OK
    assert inside.memory_seen(1024, 2**29, 2**34).mark is Mark.WARNING
    script(tmp_path, "nvidia-smi", "printf 'GPU 0: A\\nGPU 1: B\\n'")
    assert "2 told by" in inside.gpus(path_of(tmp_path)).text
    script(tmp_path, "nvidia-smi", "exit 9")
    assert "0 told by" in inside.gpus(path_of(tmp_path)).text
    assert inside.gpus(path_of(tmp_path / "none")).mark is Mark.OK


def test_the_hadoop_configuration_of_a_container(tmp_path: Path) -> None:
    assert inside.configuration({}).mark is Mark.WARNING
    (tmp_path / "core-site.xml").write_text("<configuration/>")
    found = inside.configuration({"HADOOP_CONF_DIR": str(tmp_path), "JAVA_HOME": "/java"})
    assert (found.mark, found.text) == (Mark.OK, f"{tmp_path}; JAVA_HOME is /java")


def test_the_report_of_a_container(tmp_path: Path) -> None:
    target = tmp_path / "report" / inside.FILE
    assert inside.main([str(target), tmp_path.as_uri(), "20000", "30000", "64"]) == 0
    found = {one["id"]: one for one in json.loads(target.read_text())}
    assert found["container-hdfs"]["result"] == "ok", found["container-hdfs"]
    assert str(os.cpu_count()) in found["container-cores"]["text"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report"]
