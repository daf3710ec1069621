"""The local back end from submit to the end: attempts, kills, deaths, and that nothing stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from xlearning.cluster import credentials, local_supervisor, processes
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.local import LocalCluster
from xlearning.errors import ApplicationNotFound, ClusterError
from xlearning.job import AppState, JobSpec

DEADLINE = 90.0  # seconds; for a machine that is very busy

PRELUDE = """
import json, os, signal, subprocess, sys, time
from pathlib import Path
attempt = os.environ["XLEARNING_ATTEMPT"]
def finish(state, words, retry=False):
    said = {"state": state, "diagnostics": words, "retry": retry}
    Path("../finish.new").write_text(json.dumps(said))
    Path("../finish.new").rename("../finish.json")
def sleep():
    while True: time.sleep(600)
def ready():
    Path("../ready").touch()
"""
# An agent and something below it in a session of its own; both stay until somebody ends them.
AGENT = """
code = "import subprocess, time; subprocess.Popen(['sleep', '600'], start_new_session=True); time.sleep(600)"
env = {**os.environ, "CONTAINER_ID": os.environ["CONTAINER_ID"][:-1] + "2"}
subprocess.Popen([sys.executable, "-c", code], start_new_session=True, env=env)
"""


def until(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


class Bench:
    """A back end whose ApplicationMaster is a piece of Python code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cluster = LocalCluster(folder / "root")
        self.ids: list[str] = []

    def submit(self, code: str, **properties: str) -> str:
        script = self.folder / f"am{len(self.ids)}.py"
        script.write_text(PRELUDE + code)
        python = script.with_suffix(".sh")
        python.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{script}' \"$@\"\n")
        python.chmod(0o755)
        app_id = self.cluster.new_application_id()
        self.ids.append(app_id)
        staging = self.folder / "staging" / app_id
        credentials.create(staging / "credentials")
        given = {name.replace("_", "."): value for name, value in properties.items()}
        given = {"xlearning.python": str(python), "xlearning.container.stop.grace": "0s", **given}
        job = JobSpec(app_id, "name", "t", "me", (), (), f"file://{staging}", "file:///", properties=given)
        self.cluster.submit(job)
        return app_id

    def app(self, app_id: str) -> Path:
        return self.folder / "root" / "apps" / app_id

    def end(self, app_id: str) -> ApplicationReport:
        """Wait for the end of an application and of its supervisor."""
        until(lambda: self.cluster.report(app_id).state.final)
        until(lambda: not self.rest(app_id))
        return self.cluster.report(app_id)

    def ready(self, app_id: str, attempt: int = 1) -> None:
        until((self.app(app_id) / "am" / str(attempt) / "ready").exists)

    def supervisor(self, app_id: str) -> int:
        return int((self.app(app_id) / "supervisor.pid").read_text().split()[0])

    def rest(self, app_id: str) -> set[int]:
        """Everything that belongs to an application, its supervisor included."""
        return processes.marked(processes.table(), [f"XLEARNING_APP_ID={app_id}"])

    def close(self) -> None:
        for app_id in self.ids:
            self.cluster.kill(app_id)
            until(lambda app_id=app_id: not self.rest(app_id))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    one = Bench(tmp_path)
    yield one
    one.close()


def test_a_job_that_succeeds_leaves_its_logs_only(bench: Bench) -> None:
    code = """
print("out"); print("err", file=sys.stderr)
folder = Path("../../../containers/container_x/work"); folder.mkdir(parents=True)
(folder / "big").write_text("x"); os.chmod(folder, 0o500)
finish("SUCCEEDED", "fine")
"""
    app_id = bench.submit(code)
    report = bench.end(app_id)
    assert (report.state, report.diagnostics, report.attempt) == (AppState.SUCCEEDED, "fine", 1)
    assert (report.name, report.user, report.tracking_url) == ("name", "me", "")
    assert report.finished is not None
    assert report.finished >= report.submitted > 0
    logs = bench.cluster.logs(app_id, app_id.replace("application", "container") + "_01_000001")
    assert {name: Path(path).read_text() for name, path in logs.items()} == {
        "am.out": "out\n",
        "am.err": "err\n",
    }
    names = {str(f.relative_to(bench.app(app_id))) for f in bench.app(app_id).rglob("*") if f.is_file()}
    assert {n for n in names if not n.startswith("am/1/")} == {
        "app.json",
        "launch.json",
        "supervisor.log",
        "supervisor.pid",
    }
    assert not list(bench.app(app_id).rglob("work"))
    assert (bench.app(app_id) / "supervisor.log").read_text() == ""


def test_what_an_application_master_finds(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTAINER_ID", "container_of_somebody_else")
    monkeypatch.setenv("XLEARNING_ROLE", "worker")
    monkeypatch.setenv("OF_THE_SHELL", "yes")
    code = """
blocked = [int(s) for s in signal.pthread_sigmask(signal.SIG_BLOCK, ())]
secrets = sorted(os.listdir(os.environ["XLEARNING_CREDENTIALS"]))
fds = sorted(int(f) for f in os.listdir("/proc/self/fd"))[:-1]
said = {"env": dict(os.environ), "blocked": blocked, "secrets": secrets, "argv": sys.argv[2:], "fds": fds}
Path("../found.json").write_text(json.dumps(said))
finish("SUCCEEDED", "")
"""
    app_id = bench.submit(code, **{"xlearning.am.env.MINE": "1"})
    bench.end(app_id)
    am = bench.app(app_id) / "am" / "1"
    found = json.loads((am / "found.json").read_text())
    env = found["env"]
    assert env["XLEARNING_STAGING"] == f"file://{bench.folder}/staging/{app_id}"
    assert env["CONTAINER_ID"] == app_id.replace("application", "container") + "_01_000001"
    assert env["XLEARNING_LOG_DIR"] == str(am / "logs")
    assert (env["XLEARNING_HOST"], env["XLEARNING_BACKEND"]) == ("127.0.0.1", "local")
    assert (env["PATH"], env["OF_THE_SHELL"], env["MINE"]) == (os.environ["PATH"], "yes", "1")
    assert "XLEARNING_ROLE" not in env
    assert found["blocked"] == []
    assert found["secrets"] == ["tls.crt", "tls.key"]
    assert found["argv"] == ["am"]
    assert found["fds"] == [0, 1, 2]


def test_the_next_attempt_starts_when_nothing_of_the_last_one_runs(bench: Bench) -> None:
    code = f"""
if attempt == "1":
    {"; ".join(AGENT.strip().splitlines())}
    os.kill(os.getpid(), signal.SIGKILL)
marker = ("CONTAINER_ID=" + os.environ["CONTAINER_ID"][:-9]).encode()
left = []
for pid in filter(str.isdigit, os.listdir("/proc")):
    try: environ = Path("/proc", pid, "environ").read_bytes()
    except OSError: continue
    if b"_01_000002" in environ and marker in environ: left.append(pid)
finish("SUCCEEDED", f"left: {{left}}")
"""
    report = bench.end(bench.submit(code, xlearning_app_max_attempts="2"))
    assert (report.state, report.diagnostics, report.attempt) == (AppState.SUCCEEDED, "left: []", 2)


def test_an_application_master_that_dies_ends_in_words(bench: Bench) -> None:
    once = bench.submit("sys.stderr.write('first\\nno such thing\\n\\n'); sys.exit(7)")
    twice = bench.submit("os.kill(os.getpid(), signal.SIGSEGV)", xlearning_app_max_attempts="2")
    silent = bench.submit("pass")
    report = bench.end(once)
    assert report.state is AppState.FAILED
    assert report.diagnostics == "the ApplicationMaster exited with code 7: no such thing"
    report = bench.end(twice)
    words = "attempt 2 of 2: the ApplicationMaster was killed by signal 11 (SIGSEGV)"
    assert (report.state, report.diagnostics, report.attempt) == (AppState.FAILED, words, 2)
    assert (
        bench.end(silent).diagnostics
        == "the ApplicationMaster exited with code 0 without a word about the job"
    )


def test_the_application_master_says_whether_to_try_again(bench: Bench) -> None:
    yes = bench.submit(
        "finish('FAILED', f'in {attempt}', retry=True); sys.exit(10)", xlearning_app_max_attempts="3"
    )
    no = bench.submit("finish('FAILED', f'in {attempt}'); sys.exit(1)", xlearning_app_max_attempts="3")
    report = bench.end(yes)
    assert (report.state, report.diagnostics, report.attempt) == (AppState.FAILED, "in 3", 3)
    report = bench.end(no)
    assert (report.state, report.diagnostics, report.attempt) == (AppState.FAILED, "in 1", 1)


def test_a_missing_interpreter_is_named(bench: Bench) -> None:
    report = bench.end(bench.submit("", **{"xlearning.python": "/nowhere/python3"}))
    assert report.state is AppState.FAILED
    assert "/nowhere/python3: No such file or directory" in report.diagnostics


def test_kill_lets_the_application_master_end_its_job(bench: Bench) -> None:
    code = f"""
def stop(*_):
    finish("KILLED", "stopped in order"); sys.exit(1)
signal.signal(signal.SIGTERM, stop)
{AGENT}
Path("../status.json").write_text(json.dumps({{"tracking_url": "http://127.0.0.1:1/x/", "progress": 0.5}}))
ready(); sleep()
"""
    app_id = bench.submit(code, xlearning_app_max_attempts="3")
    bench.ready(app_id)
    report = bench.cluster.report(app_id)
    assert (report.state, report.tracking_url) == (AppState.RUNNING, "http://127.0.0.1:1/x/")
    bench.cluster.kill(app_id)
    report = bench.cluster.report(app_id)
    assert (report.state, report.diagnostics, report.attempt) == (AppState.KILLED, "stopped in order", 1)
    bench.cluster.kill(app_id)
    assert bench.end(app_id) == report


def test_kill_right_after_submit(bench: Bench) -> None:
    app_id = bench.submit("sleep()")
    bench.cluster.kill(app_id, "killed by me: bored")
    report = bench.end(app_id)
    assert report.state is AppState.KILLED
    assert report.diagnostics.startswith("killed by me: bored")


def test_an_application_master_that_ignores_the_order_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "application_1700000000000_0001"
    folder.mkdir()
    code = f"{PRELUDE}signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{AGENT}\nready(); sleep()"
    program = (
        "import sys; from pathlib import Path; from xlearning.cluster.local_supervisor import supervise\n"
        "supervise(Path(sys.argv[1]), [sys.executable, '-c', sys.argv[2]], 3, grace=0.2, patience=0.2)"
    )
    supervisor = subprocess.Popen([sys.executable, "-c", program, str(folder), code])
    until((folder / "am" / "1" / "ready").exists)
    supervisor.terminate()
    assert supervisor.wait(DEADLINE) == 0
    report = json.loads((folder / "app.json").read_text())
    assert (report["state"], report["diagnostics"], report["attempt"]) == ("KILLED", "killed by its user", 1)
    assert not processes.marked(processes.table(), [f"XLEARNING_APP_ID={folder.name}"])


@pytest.mark.parametrize("deaf", [False, True])
def test_the_death_of_the_supervisor_ends_the_job(bench: Bench, deaf: bool) -> None:
    code = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if deaf else ""
    app_id = bench.submit(f"{code}{AGENT}\nready(); sleep()")
    bench.ready(app_id)
    os.kill(bench.supervisor(app_id), signal.SIGKILL)
    until(lambda: bench.cluster.report(app_id).state.final)
    report = bench.cluster.report(app_id)
    assert (report.state, report.diagnostics) == (AppState.FAILED, "the local supervisor died")
    assert not bench.rest(app_id)
    assert not list(bench.app(app_id).rglob("work"))


def test_an_application_master_hears_of_its_supervisors_death(bench: Bench) -> None:
    code = """
def stop(*_):
    finish("KILLED", "told to"); sys.exit(1)
signal.signal(signal.SIGTERM, stop)
ready(); sleep()
"""
    app_id = bench.submit(code)
    bench.ready(app_id)
    os.kill(bench.supervisor(app_id), signal.SIGKILL)
    until(lambda: bench.cluster.report(app_id).state.final)
    words = "the local supervisor died; the ApplicationMaster's last word: told to"
    assert bench.cluster.report(app_id).diagnostics == words


def test_ids_are_unique_whoever_asks(tmp_path: Path) -> None:
    ids: list[str] = []

    def ask() -> None:
        cluster = LocalCluster(tmp_path)
        ids.extend(cluster.new_application_id() for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 200
    assert all(processes_id.startswith("application_") for processes_id in ids)


def test_unknown_applications(bench: Bench) -> None:
    for app_id in ("application_1700000000000_0001", "../apps", "", bench.cluster.new_application_id()):
        with pytest.raises(ApplicationNotFound):
            bench.cluster.report(app_id)
        with pytest.raises(ApplicationNotFound):
            bench.cluster.kill(app_id)
    assert bench.cluster.list() == []


def test_list_shows_the_newest_first(bench: Bench) -> None:
    first, second = bench.submit("finish('SUCCEEDED', '')"), bench.submit("finish('FAILED', '')")
    bench.end(first), bench.end(second)
    assert [(r.app_id, r.state) for r in bench.cluster.list()] == [
        (second, AppState.FAILED),
        (first, AppState.SUCCEEDED),
    ]
    for container in ("container_1_0001_01_000001", "../../x"):
        with pytest.raises(ClusterError):
            bench.cluster.logs(first, container)


def test_old_applications_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_supervisor, "KEPT_APPLICATIONS", 2)
    now = 1_700_000_000.0
    names = [f"application_{int((now - days * 86400) * 1000)}_0001" for days in (1, 2, 3, 8, 9, 10)]
    for name in [*names, "something else"]:
        (tmp_path / name / "logs").mkdir(parents=True)
    (tmp_path / names[4] / "supervisor.pid").write_text(processes.identity(os.getpid()))
    local_supervisor.delete_old(tmp_path, now)
    assert {f.name for f in tmp_path.iterdir()} == {*names[:3], names[4], "something else"}


def test_a_root_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ClusterError, match=r"xlearning\.local\.dir"):
        LocalCluster(tmp_path / "file").new_application_id()
