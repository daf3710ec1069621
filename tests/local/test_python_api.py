"""Jobs from Python programs: all that an application can be asked, the examples of the pages about it."""

from __future__ import annotations

import logging
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from submitting import Gateway, wait_for

from xlearning import Application, AppState, Client, Job, JobFailed, Snapshot, UsageError, WaitTimeout
from xlearning.errors import ApplicationNotFound, ClusterError

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "docs" / "python.md")
_BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
WORK = (
    "echo out $INDEX; printf 'no text: \\xff'; mkdir -p output; echo model > output/m; "
    "until test -e go; do sleep 0.05; done; exit $(cat go)"
)


@pytest.fixture
def client(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(gateway.write_site()))
    monkeypatch.chdir(gateway.work)
    with Client(local=True) as client:
        yield client


def let_go(gateway: Gateway, code: int) -> None:
    """Let all programs end with this code."""
    for folder in (gateway.root / "local" / "apps").glob("*/containers/*/work"):
        (folder / "go.new").write_text(str(code))
        (folder / "go.new").rename(folder / "go")


def runs(application: Application) -> None:
    wait_for(lambda: application.status().phase == "RUNNING" and all_run(application.status()))


def all_run(snapshot: Snapshot) -> bool:
    return [container.state.value for container in snapshot.containers] == ["RUNNING", "RUNNING"]


def test_a_job_from_life_to_end(
    client: Client, gateway: Gateway, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "xlearning")
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    job = Job(["bash", "-c", WORK], app_name="api", worker_num=2, output={gateway.root / "out": "output"})
    application = client.submit(job)
    assert application.state is AppState.SUBMITTED
    runs(application)
    assert repr(application) == f"<Application {application.id} 'api' on this machine: RUNNING>"
    assert str(wait_for(lambda: application.page)).startswith("http://127.0.0.1:")
    with pytest.raises(WaitTimeout, match=r"has not ended within 0\.05 s"):
        application.wait(timeout=0.05)
    others = [client.application(text) for text in ("last", application.id, application.id[-6:])]
    assert [other.id for other in others] == [application.id] * 3
    saved = application.save()
    assert saved.state.value == "SUCCEEDED" and Path(saved.paths[0].removeprefix("file://")).is_dir()
    lines = [(line.index, line.text) for line in application.logs("worker", files=["stdout"])]
    assert lines == [(0, "out 0"), (0, "no text: �"), (1, "out 1"), (1, "no text: �")]
    seen: list[Snapshot] = []
    with ThreadPoolExecutor(3) as pool:
        waits = [pool.submit(other.wait, None, seen.append) for other in others[:2]]
        followed = pool.submit(lambda: [str(line) for line in others[2].logs("worker", 1, follow=True)])
        wait_for(lambda: len(seen) >= 2)
        let_go(gateway, 0)
        results = [waiting.result() for waiting in waits]
    assert followed.result() == ["out 1", "no text: �"]
    assert seen[-1].state is AppState.SUCCEEDED
    for result in (*results, application.wait(), client.application(application.id).wait()):
        assert result.check() is result and result.succeeded
        assert list(result.outputs) == [(gateway.root / "out").as_uri()]
        assert len(result.snapshot.containers) == 2
    assert repr(results[0]).startswith(f"<Result {application.id} SUCCEEDED after ")
    assert application.state is AppState.SUCCEEDED
    assert before == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert capfd.readouterr() == ("", "")
    assert any("Save" in record.getMessage() for record in caplog.records)
    gateway.nothing_is_left()


def test_jobs_that_end_badly(client: Client, gateway: Gateway) -> None:
    with ThreadPoolExecutor(2) as pool:
        bad, killed = pool.map(
            client.submit,
            (Job(["bash", "-c", "echo no such column >&2; exit 3"]), Job("sleep 600", app_name="long")),
        )
    result = bad.wait()
    assert (result.state, result.succeeded) == (AppState.FAILED, False)
    assert "exit code 3" in result.reason
    with pytest.raises(JobFailed) as caught:
        result.check()
    assert str(caught.value) == result.text and "| no such column" in result.text
    assert killed.kill("seen enough") is AppState.KILLED
    assert killed.kill() is AppState.KILLED
    assert "seen enough" in killed.wait().reason
    with pytest.raises(ClusterError, match="has ended"):
        killed.save()
    assert {one.id for one in client.applications()} == {bad.id, killed.id}
    assert [one.id for one in client.applications(states=["failed"])] == [bad.id]
    assert len(client.applications(limit=1)) == 1
    client.close()
    assert killed.status().state is AppState.KILLED
    gateway.nothing_is_left()


def test_what_is_not_there(client: Client, gateway: Gateway) -> None:
    with pytest.raises(UsageError, match="3 problems"):
        client.submit(Job("x", input={"nowhere": "d"}, files=["no"], worker_num="many"))
    with pytest.raises(ApplicationNotFound):
        client.application("application_1_0001")
    with pytest.raises(UsageError, match="no job of yours"):
        client.application("last")
    with pytest.raises(UsageError, match="there are SUBMITTED, RUNNING"):
        client.applications(states=["lost"])
    with pytest.raises(UsageError, match="conf="):
        Client(local=True, conf={"a": object()})  # type: ignore[dict-item]
    plan = client.plan(Job("x", worker_num=3))
    assert [(role.name, role.instances) for role in plan.job.roles] == [("worker", 3)]
    client.close()
    with pytest.raises(UsageError, match="this client was closed"):
        client.submit(Job("x"))
    assert not gateway.staging.exists()


def python(gateway: Gateway, *words: object) -> str:
    """What a program of Python prints, which ends well and warns of nothing."""
    ended = subprocess.run(
        [sys.executable, "-W", "error", *map(str, words)],
        cwd=gateway.work,
        env=gateway.environ(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    return ended.stdout


def test_every_example_of_the_pages(gateway: Gateway) -> None:
    (gateway.work / "train.py").write_text("print('trained')\n")
    blocks = [block for page in PAGES for block in _BLOCKS.findall(page.read_text(encoding="utf-8"))]
    assert len(blocks) >= 6
    said = python(gateway, "-c", "\nprint('----')\n".join(code for code, _ in blocks))
    for part, (code, expected) in zip(said.split("----\n"), blocks, strict=True):
        missing = [line for line in expected.splitlines() if line != "..." and line not in part.splitlines()]
        assert not missing, f"{code}\nsaid\n{part}"
    assert "SUCCEEDED" in said
    gateway.nothing_is_left()
