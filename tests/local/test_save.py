"""Save Model while a job runs: `xl-submit save`, what it leaves in the output, and what survives the job."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psutil
import pytest
from local.holding import Hold
from places import Place
from submitting import Gateway, Running, wait_for, words_of

PROGRAM = """
import os, pathlib, sys, time
root, role = pathlib.Path(sys.argv[1]), os.environ.get("TF_ROLE", "worker")
me = f"{role}-{os.environ['INDEX']}"
pathlib.Path("output/deep").mkdir(parents=True)
pathlib.Path("output/deep/step").write_text(f"{me} step 1")
(root / f"up-{me}").touch()
while True:
    if (root / "more").exists():
        pathlib.Path("output/more").write_text("step 2")
        (root / f"more-{me}").touch()
    for name in ("go", f"go-{me}"):
        if (root / name).exists():
            sys.exit(int((root / name).read_text() or 0))
    time.sleep(0.02)
"""


class Job:
    """A job whose programs write a file at once, another one on ``more``, and end on ``go``."""

    def __init__(self, gateway: Gateway, place: Place, *options: object, programs: int) -> None:
        self.gateway, self.place = gateway, place
        self.signs = gateway.root / "signs"
        self.signs.mkdir()
        script = gateway.work / "program.py"
        script.write_text(PROGRAM)
        self.running: Running = gateway.start(
            *options,
            *("--output", f"{place.at('out')}#output", "--files", script),
            *("--", sys.executable, "program.py", self.signs),
        )
        self.wait_signs("up-*", programs)

    def wait_signs(self, pattern: str, count: int) -> None:
        wait_for(
            lambda: len(list(self.signs.glob(pattern))) >= count or self.running.process.poll() is not None,
            60,
            f"no {count} signs {pattern}",
        )
        assert self.running.process.poll() is None, self.running.err

    def let(self, name: str, code: int = 0) -> None:
        (self.signs / f"{name}.new").write_text(str(code))
        (self.signs / f"{name}.new").rename(self.signs / name)

    def saves(self) -> list[str]:
        return [name for name in self.place.children("out") if name.startswith("interResult_")]

    def agents(self) -> dict[str, psutil.Process]:
        """Container id -> agent."""
        found = [p for p in self.gateway.processes() if words_of(p)[-1:] == ["agent"]]
        return {p.environ()["CONTAINER_ID"]: p for p in found}


def without_lists(names: Iterable[str]) -> list[str]:
    """Names in a save's folder but for its manifests."""
    return [name for name in names if not name.startswith("_manifest")]


def test_saves_of_all_that_upload_while_they_run(place: Place, gateway: Gateway) -> None:
    job = Job(gateway, place, *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 2), programs=3)
    first = gateway.verb("save", "--local", "last")
    assert first.code == 0, first.err
    (folder,) = job.saves()
    assert first.out.strip() == place.at(f"out/{folder}")
    tree = without_lists(place.tree(f"out/{folder}"))
    parts = {name.partition("/")[0] for name in tree if name != "_SUCCESS"}
    assert parts == set(job.agents())
    assert set(tree) == {"_SUCCESS", *(f"{part}/deep/step" for part in parts)}
    assert "Save Model" in first.err and "3 of 3 containers, 3 files" in first.err
    job.let("more")
    job.wait_signs("more-*", 3)
    second = gateway.verb("save", "--local", "last")
    assert second.code == 0, second.err
    assert len(job.saves()) == 2
    newest = place.tree(f"out/{job.saves()[-1]}")
    assert {f"{part}/more" for part in parts} < set(newest)
    assert set(without_lists(place.tree(f"out/{folder}"))) == set(tree), "an older save stays as it is"
    job.let("go")
    ended = job.running.end()
    assert ended.code == 0, ended.err
    assert ended.err.count("Save Model") >= 2
    assert set(place.children("out")) == {"_SUCCESS", *parts, *job.saves()}
    told = [line.strip() for line in ended.err.splitlines()]
    assert {f"{part}/" for part in parts} < set(told), "what was published"
    assert not {f"{name}/" for name in job.saves()} & set(told)
    assert [line for line in told if line.startswith("Saved: ")] == [
        f"Saved: {place.at(f'out/{name}')}" for name in reversed(job.saves())
    ]
    gateway.nothing_is_left()


def test_saved_models_survive_a_job_that_fails(place: Place, gateway: Gateway) -> None:
    job = Job(gateway, place, programs=1)
    assert gateway.verb("save", "--local", "last").code == 0
    job.let("go", 3)
    ended = job.running.end()
    assert ended.code == 2, ended.err
    (folder,) = place.children("out")
    assert folder.startswith("interResult_")
    assert f"Saved: {place.at('out')}/{folder}" in ended.err
    part = ended.app_id.replace("application", "container") + "_01_000002"
    assert set(without_lists(place.tree(f"out/{folder}"))) == {"_SUCCESS", f"{part}/deep/step"}
    gateway.nothing_is_left()
    records = [
        json.loads(line)
        for path in (gateway.history / ended.app_id).glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    (last,) = [record["data"] for record in records if record["kind"] == "save-ended"]
    assert (last["state"], last["done"], last["paths"]) == ("SUCCEEDED", 1, [place.at(f"out/{folder}")])
    again = gateway.submit("--output", f"{place.at('out')}#output", "--", "true")
    assert again.code == 1
    assert "models that were saved" in again.err


def test_saved_models_survive_a_kill_and_an_am_that_dies(place: Place, gateway: Gateway) -> None:
    job = Job(gateway, place, programs=1)
    assert gateway.verb("save", "--local", "last").code == 0
    (master,) = [p for p in gateway.processes() if words_of(p)[-1:] == ["am"]]
    master.kill()
    assert job.running.end().code == 2
    (folder,) = place.children("out")
    assert place.exists(f"out/{folder}/_SUCCESS")
    gateway.nothing_is_left()


def test_a_second_attempt_keeps_what_the_first_one_saved(place: Place, gateway: Gateway) -> None:
    job = Job(gateway, place, "--conf", "xlearning.app.max.attempts=2", programs=1)
    assert gateway.verb("save", "--local", "last").code == 0
    (folder,) = job.saves()
    (master,) = [p for p in gateway.processes() if words_of(p)[-1:] == ["am"]]
    job.let("go")
    master.kill()
    ended = job.running.end()
    assert ended.code == 0, ended.err
    assert set(place.children("out")) == {"_SUCCESS", "output", folder}


def test_a_save_that_cannot_be_written_fails_and_the_job_goes_on(place: Place, gateway: Gateway) -> None:
    job = Job(gateway, place, programs=1)
    storage = place.storage.of(place.uri)
    storage.delete(place.at("out/_temporary"), recursive=True)
    place.write("out/_temporary", b"in the way")
    failed = gateway.verb("save", "--local", "last")
    assert failed.code == 2
    assert (failed.out, "FAILED: 0 of 1" in failed.err, "_temporary" in failed.err) == ("", True, True)
    assert job.saves() == []
    storage.delete(place.at("out/_temporary"))
    assert gateway.verb("save", "--local", "last").code == 0
    job.let("go")
    assert job.running.end().code == 0
    assert len(job.saves()) == 1


def test_a_worker_that_has_finished_does_not_save(place: Place, gateway: Gateway) -> None:
    job = Job(gateway, place, "--worker-num", 2, programs=2)
    job.let("go-worker-0")
    job.running.said("1 succeeded")
    saved = gateway.verb("save", "--local", "last")
    assert saved.code == 0, saved.err
    (folder,) = job.saves()
    assert len(without_lists(place.children(f"out/{folder}"))) == 2
    (name,) = (name for name in without_lists(place.tree(f"out/{folder}")) if name != "_SUCCESS")
    assert place.read(f"out/{folder}/{name}") == b"worker-1 step 1"
    job.let("go")
    assert job.running.end().code == 0


@pytest.fixture
def here(tmp_path: Path) -> Place:
    from xlearning.fs import FileSystems

    (tmp_path / "place").mkdir()
    return Place((tmp_path / "place").as_uri(), FileSystems("file://"))


def test_a_second_save_waits_for_the_first_one(here: Place, gateway: Gateway) -> None:
    gateway.properties["xlearning.agent.timeout"] = "120s"
    job = Job(gateway, here, "--worker-num", 2, programs=2)
    first_id, agent = min(job.agents().items())
    agent.send_signal(signal.SIGSTOP)
    begun = gateway.verb("save", "--local", "last", "--no-wait")
    assert begun.code == 0, begun.err
    folder = Path(begun.out.strip().removeprefix("file://"))
    wait_for(folder.exists)
    second = gateway.start_verb("save", "--local", "last")
    save_id = folder.name.removeprefix("interResult_")
    second.said(f"after save {save_id}")
    second.said("waits for the end of the one that runs")
    assert not (folder / "_SUCCESS").exists() and not (folder / first_id).exists()
    agent.send_signal(signal.SIGCONT)
    ended = second.end()
    assert (ended.code, (folder / "_SUCCESS").exists()) == (0, True), ended.err
    assert len(job.saves()) == 2
    job.let("go")
    assert job.running.end().code == 0


def test_a_killed_agent_leaves_no_half_part(here: Place, gateway: Gateway) -> None:
    gateway.properties["xlearning.upload.output.thread.nums"] = "1"
    hold = Hold(gateway.root / "hold", r"/save-[^/]*/container_\w+_000002/.*\.part$", after=3)
    gateway.environment |= hold.environment
    job = Job(gateway, here, "--worker-num", 3, programs=3)
    victim_id, victim = min(job.agents().items())
    output = gateway.root / "local" / "apps"
    (work,) = output.glob(f"*/containers/{victim_id}/work")
    for n in range(20):
        (work / "output" / str(n)).write_bytes(b"x")
    running = gateway.start_verb("save", "--local", "last")
    root = Path(here.uri.removeprefix("file://")) / "out"
    hold.wait()
    assert list(root.glob(f"_temporary/*/save-*/{victim_id}/*"))
    victim.kill()
    saved = running.end()
    assert saved.code == 2, saved.err
    assert "PARTIAL: 2 of 3 containers" in saved.err and victim_id in saved.err
    (folder,) = root.glob("interResult_*")
    assert set(without_lists(p.name for p in folder.iterdir())) == set(job.agents())
    assert {p.stem for p in (folder / "_manifest").iterdir()} == set(job.agents())
    assert victim_id not in job.agents()
    job.let("go")
    ended = job.running.end()
    assert ended.code == 0, ended.err
    assert not (root / "_temporary").exists()
    assert not (folder / "_SUCCESS").exists()


def test_saves_by_themselves(here: Place, gateway: Gateway) -> None:
    job = Job(gateway, here, "--conf", "xlearning.interresult.upload.interval=300ms", programs=1)
    wait_for(lambda: sum(here.exists(f"out/{name}/_SUCCESS") for name in job.saves()) >= 2)
    described = gateway.verb("describe", "--local", "last", "--output", "json")
    saves = json.loads(described.out)["saves"]
    assert {save["trigger"] for save in saves} == {"interval"} and len(saves) >= 2
    job.let("go")
    assert job.running.end().code == 0


EXAMPLE = Path(__file__).parents[2] / "examples" / "save_model" / "train.py"


def manifest(place: Place, folder: str) -> dict[str, Any]:
    """The only container's list of files."""
    (name,) = place.children(f"out/{folder}/_manifest")
    found: dict[str, Any] = json.loads(place.read(f"out/{folder}/_manifest/{name}"))
    return found


def test_a_program_makes_its_files_whole_when_it_is_asked(here: Place, gateway: Gateway) -> None:
    gateway.properties["xlearning.interresult.notify"] = "FILE"
    running = gateway.start(
        *("--output", f"{here.at('out')}#model", "--files", EXAMPLE, "--", sys.executable, "train.py")
    )
    running.said("worker: 1 running")
    for _ in range(2):
        assert gateway.verb("save", "--local", "last").code == 0
    for folder in here.children("out"):
        if folder.startswith("interResult_"):
            about = manifest(here, folder)
            assert about["confirmed"] is True and about["save"] in folder
            assert [one["path"] for one in about["files"]] == ["checkpoint"]
            whole = json.loads(here.read(f"out/{folder}/_manifest.json"))
            assert [(part["files"], part["size"]) for part in whole["parts"]] == [
                (1, about["files"][0]["size"])
            ]
    running.process.send_signal(signal.SIGTERM)
    assert running.end().code == 2


def test_files_that_nobody_confirms_are_not_saved(here: Place, gateway: Gateway) -> None:
    gateway.properties |= {
        "xlearning.interresult.notify": "SIGNAL",
        "xlearning.interresult.notify.wait": "300ms",
    }
    job = Job(gateway, here, programs=1)
    refused = gateway.verb("save", "--local", "last")
    assert refused.code == 2 and job.saves() == []
    assert "did not confirm that its files are whole within 0.3 s" in refused.err
    assert "it handles no SIGUSR1, so it was not sent" in refused.err
    job.let("go")
    assert job.running.end().code == 0, "the signal would have ended the program"


def test_only_changes_are_saved_and_only_the_newest_kept(here: Place, gateway: Gateway) -> None:
    gateway.properties |= {"xlearning.interresult.save.inc": "true", "xlearning.interresult.keep": "1"}
    job = Job(gateway, here, programs=1)
    assert gateway.verb("save", "--local", "last").code == 0
    (first,) = job.saves()
    job.let("more")
    job.wait_signs("more-*", 1)
    (job.signs / "more").unlink()
    for _ in range(3):
        saved = gateway.verb("save", "--local", "last")
        assert saved.code == 0, saved.err
    wait_for(lambda: len(job.saves()) <= 3)
    newest = job.saves()[-1]
    assert job.saves()[0] == first, "the newest one needs it"
    about = {one["path"]: one for one in manifest(here, newest)["files"]}
    assert about["deep/step"]["in"] == first.removeprefix("interResult_")
    whole = json.loads(here.read(f"out/{newest}/_manifest.json"))
    assert first.removeprefix("interResult_") in whole["needs"]
    (part,) = (part["container_id"] for part in whole["parts"])
    for path, one in about.items():
        folder = f"interResult_{one['in']}" if "in" in one else newest
        assert len(here.read(f"out/{folder}/{part}/{path}")) == one["size"]
    job.let("go")
    assert job.running.end().code == 0


def test_which_job_is_meant(here: Place, gateway: Gateway) -> None:
    assert "no job" in gateway.verb("save", "--local", "last").err
    job = Job(gateway, here, programs=1)
    (app_id,) = [p.name for p in (gateway.root / "local" / "apps").iterdir()]
    assert gateway.verb("save", "--local", app_id).code == 0
    assert gateway.verb("save", "--local", app_id[-12:]).code == 0
    for word, answer in (
        ("application_1_0001", "no application application_1_0001"),
        ("9999_7777", "ends in '9999_7777'"),
    ):
        wrong = gateway.verb("save", "--local", word)
        assert (wrong.code, wrong.out) == (1, "")
        assert answer in wrong.err
    job.let("go")
    assert job.running.end().code == 0
    late = gateway.verb("save", "--local", "last")
    assert late.code == 1
    assert "has ended (SUCCEEDED)" in late.err


def test_a_job_without_output_says_so(gateway: Gateway) -> None:
    running = gateway.start("--", "sleep", "600")
    running.said("worker: 1 running")
    refused = gateway.verb("save", "--local", "last")
    assert refused.code == 1
    assert "no --output" in refused.err
    running.process.send_signal(signal.SIGTERM)
    assert running.end().code == 2


def test_a_save_of_nothing_says_so(here: Place, gateway: Gateway) -> None:
    running = gateway.start("--output", f"{here.at('out')}#output", "--", "sleep", "600")
    running.said("worker: 1 running")
    empty = gateway.verb("save", "--local", "last", "--output", "json")
    assert (empty.code, json.loads(empty.out)["save"]["state"]) == (2, "FAILED")
    assert "FAILED: 1 of 1 containers, 0 files, 0 B\n" in empty.err
    assert "nothing was saved: no program has written to ./output yet" in empty.err
    assert not [name for name in here.children("out") if "interResult" in name]
    running.process.send_signal(signal.SIGTERM)
    assert running.end().code == 2


def test_a_program_called_save_still_runs(tmp_path: Path, gateway: Gateway) -> None:
    script = tmp_path / "bin" / "save"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho it ran > output/said\n")
    script.chmod(0o755)
    gateway.environment["PATH"] = f"{script.parent}:{gateway.environment['PATH']}"
    output = ("--output", f"{tmp_path}/out#output")
    for words in (("--", "save"), ("save", "last")):
        ended = gateway.submit(*output, *words)
        assert ended.code == 0, ended.err
        assert (tmp_path / "out" / "output" / "said").read_text() == "it ran\n"
        output = ("--output", f"{tmp_path}/out2#output")
    assert (tmp_path / "out2" / "output" / "said").exists()
