"""Containers of the local back end keep YARN's contract: folders, variables, limits, exit codes, logs."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from job_samples import OWN_APP, container_id

from xlearning.cluster import local_containers, processes
from xlearning.cluster.base import CompletedContainer, GrantedContainer
from xlearning.cluster.local_containers import LocalContainerManager
from xlearning.cluster.localize import Localizer
from xlearning.job import JobSpec, LocalResource, ResourceKind, RoleSpec

DEADLINE = 60.0  # seconds; for a machine that is very busy
WORKER = RoleSpec("worker", 1, 2048, 1)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def job(resources: Sequence[LocalResource] = ()) -> JobSpec:
    properties = {"xlearning.container.stop.grace": "0s"}
    roles = (WORKER,)
    return JobSpec(
        OWN_APP,
        "n",
        "t",
        "u",
        (),
        roles,
        "file:///s",
        "file:///",
        resources=tuple(resources),
        properties=properties,
    )


class Bench:
    """A manager whose agents run one piece of Python code."""

    def __init__(
        self, folder: Path, code: str, slots: int = 0, resources: Sequence[LocalResource] = ()
    ) -> None:
        self.folder = folder / "apps" / OWN_APP
        (self.folder / "am" / "1").mkdir(parents=True)
        environ = {**os.environ, "XLEARNING_APP_ID": OWN_APP, "XLEARNING_HOST": "127.0.0.1", "SECRET": "s"}
        agent = [sys.executable, "-c", code]
        self.manager = LocalContainerManager(self.folder, job(resources), slots, agent=agent, environ=environ)
        self.granted: list[GrantedContainer] = []
        self.completed: list[CompletedContainer] = []

    def poll(self) -> None:
        result = self.manager.poll()
        self.granted += result.granted
        self.completed += result.completed

    def run(self, count: int = 1, role: RoleSpec = WORKER) -> list[CompletedContainer]:
        """Start ``count`` agents and wait for their end."""
        self.manager.request(role, count)
        self.wait(len(self.completed) + count)
        return self.completed

    def wait(self, completed: int) -> None:
        self.until(lambda: len(self.completed) >= completed)

    def until(self, condition: Callable[[], bool]) -> None:
        """Poll until ``condition`` holds."""

        def polled() -> bool:
            self.poll()
            return condition()

        until(polled)

    def start(self, ready: str = "ready") -> Path:
        """Start one agent, wait for a file of its making; its working folder."""
        self.manager.request(WORKER, 1)
        self.poll()
        work = self.work(self.granted[-1].id)
        until(lambda: (work / ready).exists())
        return work

    def work(self, container_id: str) -> Path:
        return self.folder / "containers" / container_id / "work"

    def logs(self, container_id: str) -> Path:
        return self.folder / "containers" / container_id / "logs"

    def rest(self) -> set[int]:
        return processes.marked(processes.table(), [f"XLEARNING_APP_ID={OWN_APP}"])

    def close(self) -> None:
        for container in self.granted:
            self.manager.kill(container.id)
        self.wait(len(self.granted))
        processes.end(lambda table: processes.marked(table, [f"XLEARNING_APP_ID={OWN_APP}"]), 0.0)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Bench]]:
    monkeypatch.setattr(local_containers, "_AGENT_EXTRA", 0.3)
    monkeypatch.setattr(local_containers, "MEMORY_INTERVAL", 0.1)
    made: list[Bench] = []

    def make(code: str, slots: int = 0, resources: Sequence[LocalResource] = ()) -> Bench:
        made.append(Bench(tmp_path, code, slots, resources))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_exit_codes_and_the_words_for_them(bench: Callable[..., Bench]) -> None:
    code = """
import os, sys
n = int(os.environ["CONTAINER_ID"][-1])
print("first", file=sys.stderr)
print("it broke", file=sys.stderr, flush=True)
if n == 4: os.kill(os.getpid(), 9)
sys.exit({2: 0, 3: 3}[n])
"""
    completed = sorted(bench(code).run(3), key=lambda c: c.id)
    assert [c.exit_code for c in completed] == [0, 3, 137]
    assert completed[0].diagnostics == ""
    assert completed[1].diagnostics.startswith("Container exited with code 3: it broke\n")
    assert "first\nit broke" in completed[1].diagnostics
    assert completed[2].diagnostics.startswith("Container was killed by signal 9 (SIGKILL): it broke")
    assert not any(c.lost for c in completed)


def test_what_a_container_finds(bench: Callable[..., Bench]) -> None:
    code = """
import json, os, sys
found = {"env": dict(os.environ), "cwd": os.getcwd(), "in": sys.stdin.read(), "leader": os.getsid(0)}
json.dump(found, open("found.json", "w"))
print("out"); print("err", file=sys.stderr)
"""
    one = bench(code)
    one.run()
    (granted,) = one.granted
    assert granted.id == container_id(2, OWN_APP)
    assert (granted.role, granted.host) == ("worker", "127.0.0.1")
    found = json.loads((one.work(granted.id) / "found.json").read_text())
    logs = str(one.logs(granted.id))
    assert found["cwd"] == found["env"]["PWD"] == str(one.work(granted.id))
    assert found["in"] == ""
    assert found["leader"] != os.getsid(0)
    env = found["env"]
    assert env["PATH"] == os.environ["PATH"]
    assert env["CONTAINER_ID"] == granted.id
    assert env["LOG_DIRS"] == env["XLEARNING_LOG_DIR"] == logs
    assert (env["XLEARNING_ROLE"], env["XLEARNING_ATTEMPT"], env["XLEARNING_APP_ID"]) == (
        "worker",
        "1",
        OWN_APP,
    )
    assert Path(env["LOCAL_DIRS"]).is_dir()
    assert "SECRET" not in env
    assert (Path(logs) / "agent.out").read_text() == "out\n"
    assert (Path(logs) / "agent.err").read_text() == "err\n"
    assert granted.log_url == f"file://{logs}"


def test_slots_make_the_others_wait(bench: Callable[..., Bench]) -> None:
    one = bench("import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)", slots=2)
    one.manager.request(WORKER, 3)
    for _ in range(5):
        one.poll()
    assert len(one.granted) == 2
    (one.work(one.granted[0].id) / "go").touch()
    one.until(lambda: len(one.granted) == 3)
    assert [c.id for c in one.completed] == [one.granted[0].id]


SPAWNER = """
import os, signal, subprocess, sys, time
stubborn = {stubborn}
if stubborn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
subprocess.Popen(["sleep", "600"])
open("pid", "w").write(str(child.pid))
os.rename("pid", "ready")
while True: time.sleep(600)
"""


def test_release_is_term_first(bench: Callable[..., Bench]) -> None:
    code = """
import signal, sys, time
def leave(*_): open("told", "w"); sys.exit(0)
signal.signal(signal.SIGTERM, leave)
open("ready", "w")
while True: time.sleep(600)
"""
    one = bench(code)
    work = one.start()
    one.manager.release(one.granted[0].id)
    one.wait(1)
    assert (work / "told").exists()
    assert one.completed == [CompletedContainer(one.granted[0].id, -100, "Container released by application")]


def test_release_kills_what_does_not_listen(bench: Callable[..., Bench]) -> None:
    one = bench(SPAWNER.format(stubborn=True))
    one.start()
    one.manager.release(one.granted[0].id)
    one.wait(1)
    assert one.completed[0].exit_code == -100
    until(lambda: not one.rest())


def test_kill_ends_the_whole_tree(bench: Callable[..., Bench]) -> None:
    one = bench(SPAWNER.format(stubborn=False))
    one.start()
    assert len(one.rest()) == 3
    one.manager.kill(one.granted[0].id)
    one.wait(1)
    assert one.completed[0].exit_code == -105
    until(lambda: not one.rest())


def test_kill_wins_against_a_fork_bomb(bench: Callable[..., Bench]) -> None:
    code = """
import os, signal, time
open("ready", "w")
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
end = time.monotonic() + 60
for _ in range(3): os.fork()
while time.monotonic() < end:
    time.sleep(0.01)
    if os.fork(): os._exit(0)
    os.setsid()
"""
    one = bench(f"import os, time\nif not os.fork():\n    exec({code!r})\nwhile True: time.sleep(600)")
    one.start()
    one.manager.kill(one.granted[0].id)
    one.wait(1)
    one.until(lambda: not one.rest())


def test_what_an_ended_container_left_is_ended_too(bench: Callable[..., Bench]) -> None:
    one = bench(SPAWNER.format(stubborn=False))
    orphan = int((one.start() / "ready").read_text())
    (agent,) = {p.parent for p in processes.table().values() if p.pid == orphan}
    os.kill(agent, signal.SIGKILL)
    one.wait(1)
    assert one.completed[0].exit_code == 137
    one.until(lambda: not one.rest())


def test_the_memory_of_the_whole_tree_is_limited(bench: Callable[..., Bench]) -> None:
    eater = "x = bytearray(200 << 20); import time; time.sleep(600)"
    code = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {eater!r}], start_new_session=True)"
    )
    one = bench(code)
    (ended,) = one.run(role=RoleSpec("worker", 1, 100, 1))
    assert ended.exit_code == -104
    match = re.fullmatch(r"(\d+) MB of 100 MB physical memory used; killed", ended.diagnostics)
    assert match is not None
    assert 100 < int(match[1]) < 400
    until(lambda: not one.rest())


def test_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    folder = tmp_path / "apps" / OWN_APP
    manager = LocalContainerManager(folder, job(), agent=["/nowhere/python"], environ={})
    manager.request(WORKER, 1)
    result = manager.poll()
    (ended,) = result.completed
    assert [c.id for c in result.granted] == [ended.id]
    assert ended.exit_code == 127
    assert "/nowhere/python" in ended.diagnostics


def test_a_container_whose_folder_cannot_be_made(bench: Callable[..., Bench]) -> None:
    one = bench("")
    (one.folder / "containers").write_text("no folder")
    (ended,) = one.run()
    assert ended.exit_code == 127 and "cannot start the container: " in ended.diagnostics
    assert [granted.id for granted in one.granted] == [ended.id]


def test_what_a_poll_that_fails_has_begun_is_told_by_the_next_one(
    bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = bench("")
    one.manager.request(WORKER, 2)
    with monkeypatch.context() as patch:
        patch.setattr(processes, "table", lambda: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            one.poll()
    one.wait(2)
    assert len(one.granted) == len(one.completed) == 2


def test_no_program_starts_without_its_files_whatever_went_wrong(
    bench: Callable[..., Bench], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Localizer, "prepare", lambda _: 1 // 0)
    one = bench("", resources=[LocalResource("a", (tmp_path / "a.zip").as_uri(), ResourceKind.ARCHIVE)])
    (ended,) = one.run()
    assert ended.exit_code == local_containers.LOCALIZATION_FAILED
    assert ended.diagnostics.startswith("localization failed: ZeroDivisionError(")


def test_files_and_archives_are_linked(bench: Callable[..., Bench], tmp_path: Path) -> None:
    import zipfile

    (tmp_path / "data").write_text("data")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("inner/x", "x")
    resources = (
        LocalResource("alias", f"file://{tmp_path}/data"),
        LocalResource("lib", f"file://{tmp_path}/a.zip", ResourceKind.ARCHIVE),
    )
    code = "print(open('alias').read(), open('lib/inner/x').read())"
    one = bench(code, resources=resources)
    assert [c.exit_code for c in one.run(2)] == [0, 0]
    links = {(one.work(c.id) / "lib").readlink() for c in one.granted}
    assert len(links) == 1
    assert (one.logs(one.granted[0].id) / "agent.out").read_text() == "data x\n"


def test_localization_that_fails_names_everything(bench: Callable[..., Bench], tmp_path: Path) -> None:
    (tmp_path / "not-an-archive").write_text("x")
    resources = (
        LocalResource("late", f"file://{tmp_path}/late"),
        LocalResource("../up", f"file://{tmp_path}/not-an-archive"),
        LocalResource("lib", f"file://{tmp_path}/not-an-archive", ResourceKind.ARCHIVE),
    )
    one = bench("pass", resources=resources)
    (ended,) = one.run()
    assert one.granted[0].id == ended.id
    assert ended.exit_code == -1000
    assert f"File file://{tmp_path}/late does not exist" in ended.diagnostics
    assert "'../up' does not stay inside the working folder" in ended.diagnostics
    assert "neither a zip nor a tar archive" in ended.diagnostics


def test_localization_is_tried_again_for_a_replacement(bench: Callable[..., Bench], tmp_path: Path) -> None:
    one = bench("print(open('late').read())", resources=[LocalResource("late", f"file://{tmp_path}/late")])
    assert one.run()[-1].exit_code == -1000
    (tmp_path / "late").write_text("here")
    assert one.run()[-1].exit_code == 0


def test_logs_in_pieces(bench: Callable[..., Bench]) -> None:
    one = bench("import sys; sys.stdout.buffer.write('äöü€'.encode() + b'\\xff')")
    one.run()
    container = one.granted[0].id
    assert one.manager.log_files(container) == {"agent.out": 10, "agent.err": 0}
    text, offset = "", 0
    while offset < 10:
        chunk = one.manager.read_log(container, "agent.out", offset, 4)
        assert (chunk.offset, chunk.size) == (offset, 10)
        assert chunk.next_offset > offset
        text, offset = text + chunk.text, chunk.next_offset
    assert text == "äöü€\ufffd"
    assert one.manager.read_log(container, "agent.out", 99, 4).text == ""


def test_logs_do_not_lead_elsewhere(bench: Callable[..., Bench], tmp_path: Path) -> None:
    one = bench("pass")
    one.run()
    container = one.granted[0].id
    (tmp_path / "secret").write_text("secret")
    (one.logs(container) / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(one.logs(container) / "pipe")
    assert set(one.manager.log_files(container)) == {"agent.out", "agent.err"}
    for name in ("link", "pipe", "../work", "../../../am", "/etc/passwd", "", "missing"):
        with pytest.raises(FileNotFoundError):
            one.manager.read_log(container, name, 0, 100)
    for other in ("../../x", "container_1700000000000_0002_01_000002", ""):
        assert one.manager.log_files(other) == {}
