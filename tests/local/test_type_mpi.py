"""MPI on this machine, with a real Open MPI: what was learned, and what happens when something dies."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import doc_pages
import frameworks
import numpy as np
import psutil
import pytest
from submitting import Ended, Gateway, Running, wait_for, words_of

EXAMPLES = doc_pages.ROOT / "examples"

_LOOK = """
import json, os, sys
from mpi4py import MPI
world = MPI.COMM_WORLD
seen = {"rank": world.rank, "size": world.size, "sum": world.allreduce(world.rank), "cwd": os.getcwd(),
        "argv": sys.argv[1:], "env": dict(os.environ)}
with open(f"out/{world.rank}.json", "w") as file:
    json.dump(seen, file)
print(f"said by {world.rank}")
print(f"warned by {world.rank}", file=sys.stderr)
"""

_FAIL = """
import os, sys
from mpi4py import MPI
world = MPI.COMM_WORLD
world.Barrier()
if world.rank == world.size - 1:
    print("no luck", file=sys.stderr, flush=True)
    os._exit(3)  # an ordinary exit would wait for the others in MPI_Finalize
world.Barrier()
"""

_STAY = """
from mpi4py import MPI
MPI.COMM_WORLD.Barrier()
print("here", flush=True)
MPI.COMM_WORLD.recv()
"""

_SPAWN = """
import sys
from mpi4py import MPI
parent = MPI.Comm.Get_parent()
name = "parent" if parent == MPI.COMM_NULL else "child"
open(f"out/{name}", "w").close()
if name == "parent":
    parent = MPI.COMM_SELF.Spawn(sys.executable, ["spawn.py"], 1)
parent.Barrier()
parent.Disconnect()
"""


def logs(gateway: Gateway, app_id: str, name: str) -> dict[str, str]:
    """Container id -> text of its log ``name``."""
    folder = gateway.root / "local" / "apps" / app_id / "containers"
    return {path.parts[-3]: path.read_text() for path in folder.glob(f"*/logs/{name}")}


def submitted(running: Running) -> str:
    """The id of its application."""
    running.said("Submitted")
    return next(line.split()[-1] for line in running.err.splitlines() if "Submitted" in line)


def leftovers(app_id: str) -> list[Path]:
    """What ranks of a job leave in shared memory."""
    return list(Path("/dev/shm").glob(f"xlearning-mpi-*{app_id.removeprefix('application')}*"))


def test_the_example_learns_what_one_process_learns(gateway: Gateway) -> None:
    doc_pages.run(EXAMPLES / "mpi" / "README.md", gateway, frameworks.python("mpi").parent)
    (job,) = (gateway.root / "local" / "apps").glob("application_*")
    first = [text for text in logs(gateway, job.name, "stdout").values() if "rank 0 of 4" in text]
    assert len(first) == 2, "rank 0 is heard in its container, and where mpirun runs"
    losses = [float(loss) for loss in re.findall(r"step \d+: loss ([\d.]+)", first[0])]
    assert len(losses) == 5 and losses[-1] < losses[0] < np.log(3)
    (model,) = (gateway.work / "clouds-mpi").glob("container_*/weights.csv")
    alone = np.loadtxt(gateway.work / "alone/weights.csv", delimiter=",")
    np.testing.assert_allclose(np.loadtxt(model, delimiter=","), alone, atol=1e-12)
    gateway.nothing_is_left()
    assert not leftovers(job.name)


def test_ranks_run_in_their_container_with_its_environment_and_logs(gateway: Gateway) -> None:
    (gateway.work / "look.py").write_text(_LOOK)
    ended = gateway.submit(
        *(
            "--app-type",
            "mpi",
            "--worker-num",
            2,
            "--env",
            "COLOUR=dark blue",
            "--env",
            "OMPI_COMM_WORLD_RANK=7",
        ),
        *("--files", "look.py", "--output", "out#out", "--conf", "xlearning.createcontainerid.dir=true"),
        *("--", "-x", "PASSED=on", str(frameworks.python("mpi")), "look.py", "a b", "$HOME"),
    )
    assert ended.code == 0, ended.err
    assert "type MPI sets these for each process, so yours have no effect: OMPI_COMM_WORLD_RANK" in ended.err
    seen = [json.loads(path.read_text()) for path in sorted(gateway.work.glob("out/*/*.json"))]
    assert [one["rank"] for one in seen] == [0, 1]
    out, err = logs(gateway, ended.app_id, "stdout"), logs(gateway, ended.app_id, "stderr")
    for one in seen:
        env, rank = one["env"], one["rank"]
        assert (one["size"], one["sum"], one["argv"]) == (2, 1, ["a b", "$HOME"])
        assert (env["COLOUR"], env["TF_INDEX"], env["INDEX"]) == ("dark blue", str(rank + 1), str(rank))
        assert one["cwd"].endswith(f"{env['CONTAINER_ID']}/work")
        assert f"said by {rank}\n" in out[env["CONTAINER_ID"]]
        assert f"warned by {rank}\n" in err[env["CONTAINER_ID"]]
        assert not any(name.startswith("XLEARNING_MPI") or "CREDENTIALS" in name for name in env)
        assert "xlearning" not in env["PATH"].partition(":")[0]
    gateway.nothing_is_left()
    assert not leftovers(ended.app_id)


def test_a_rank_that_fails_ends_the_job_with_the_name_of_its_worker(gateway: Gateway) -> None:
    (gateway.work / "fail.py").write_text(_FAIL)
    ended = gateway.submit(
        *("--app-type", "mpi", "--worker-num", 2, "--files", "fail.py"),
        *(str(frameworks.python("mpi")), "fail.py"),
    )
    assert ended.code == 2
    assert "First to fail: worker:1" in ended.err and "exit code 3" in ended.err
    assert "| no luck" in ended.err
    assert "| xlearning: rank 1 ended with exit code 3" in ended.err
    gateway.nothing_is_left()


def kill_agent_of(gateway: Gateway, container: str) -> None:
    (agent,) = [
        process
        for process in gateway.processes()
        if words_of(process)[-1:] == ["agent"] and process.environ().get("CONTAINER_ID") == container
    ]
    agent.send_signal(9)
    psutil.wait_procs([agent], 10)


def test_a_worker_that_dies_ends_the_job_with_its_name(gateway: Gateway) -> None:
    (gateway.work / "stay.py").write_text(_STAY)
    running = gateway.start(
        *("--app-type", "mpi", "--worker-num", 2, "--files", "stay.py"),
        *(str(frameworks.python("mpi")), "stay.py"),
    )
    app_id = submitted(running)

    def here() -> list[str]:
        return [name for name, text in logs(gateway, app_id, "stdout").items() if "here" in text]

    wait_for(lambda: len(here()) == 3, message="no ranks")
    victim = max(here())
    kill_agent_of(gateway, victim)
    ended = running.end()
    assert ended.code == 2
    assert f"First to fail: worker:1 ({victim}" in ended.err
    gateway.nothing_is_left()
    assert not leftovers(ended.app_id)


@pytest.mark.parametrize("program", ["run.py", pytest.param("guardian.py", marks=pytest.mark.large)])
def test_no_shared_memory_is_left_by_what_is_killed(gateway: Gateway, program: str) -> None:
    (gateway.work / "stay.py").write_text(_STAY)
    running = gateway.start(
        *("--app-type", "mpi", "--worker-num", 1, "--files", "stay.py"),
        *("--conf", "xlearning.mpi.process.num.per.worker=2", str(frameworks.python("mpi")), "stay.py"),
    )
    app_id = submitted(running)
    wait_for(lambda: any("here" in text for text in logs(gateway, app_id, "stdout").values()))
    assert any(folder.iterdir() for folder in leftovers(app_id))
    (node,) = [
        process
        for process in gateway.processes()
        if words_of(process)[-1:] == [".xlearning-mpi/run.py"]
        and any(words_of(child)[:1] == ["orted"] for child in process.children(recursive=True))
    ]
    victim = node if program == "run.py" else node.parent()
    assert victim is not None and any(word.endswith(program) for word in words_of(victim))
    victim.send_signal(9)
    ended = running.end()
    assert ended.code == 2 and "First to fail: worker:0" in ended.err
    gateway.nothing_is_left()
    wait_for(lambda: not leftovers(app_id), message="it is left")


def one_rank_of_two_workers(gateway: Gateway, *args: object) -> Ended:
    return gateway.submit("--app-type", "mpi", "--worker-num", 2, *args, "--", "-np", 1, "cat")


@pytest.mark.parametrize(
    "strategy",
    ["DOWNLOAD", *(pytest.param(name, marks=pytest.mark.large) for name in ("PLACEHOLDER", "STREAM"))],
)
def test_a_worker_whose_input_no_rank_reads_fails_the_job(gateway: Gateway, strategy: str) -> None:
    (gateway.work / "rows").mkdir()
    for name in "abc":
        (gateway.work / "rows" / name).write_text(f"{name}\n")
    given = ("--input", "rows#rows", "--conf", f"xlearning.input.strategy={strategy}")
    ended = one_rank_of_two_workers(gateway, *given)
    assert ended.code == 2
    assert "First to fail: worker:1" in ended.err
    assert "| xlearning: no rank of the job has run in worker:1" in ended.err
    assert "nobody has read its share of the input, 1 file: let mpirun start ranks in all" in ended.err


def test_a_worker_without_rank_fails_where_its_output_is_expected(gateway: Gateway) -> None:
    ended = gateway.submit(  # at once: the other worker's rank would not end by itself
        *("--app-type", "mpi", "--worker-num", 2, "--output", "out#out", "--", "-np", 1, "sleep", "infinity")
    )
    assert ended.code == 2
    assert "First to fail: worker:1" in ended.err
    assert "| xlearning: so it has no output to publish: let mpirun start ranks" in ended.err
    ended = one_rank_of_two_workers(gateway, "--output", "out#out", "--output-index", 0)
    assert ended.code == 0, ended.err
    notes = logs(gateway, ended.app_id, "stderr").values()
    assert len([text for text in notes if "xlearning: no rank of the job has run in worker:1" in text]) == 1


@pytest.mark.large
def test_a_worker_whose_ranks_come_later(gateway: Gateway) -> None:
    (gateway.work / "spawn.py").write_text(_SPAWN)
    ended = gateway.submit(
        *("--app-type", "mpi", "--worker-num", 2, "--files", "spawn.py", "--output", "out#out"),
        *("--conf", "xlearning.mpi.spawn=true", "--", "-np", 1, str(frameworks.python("mpi")), "spawn.py"),
    )
    assert ended.code == 0, ended.err
    assert sorted(path.name for path in gateway.work.glob("out/*/*")) == ["child", "parent"]


def test_a_node_without_open_mpi_is_told_what_to_install(gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--app-type", "mpi", "--worker-num", 1, "--conf", "xlearning.mpi.install.dir=nowhere"), "true"
    )
    assert ended.code == 2
    assert "xlearning.mpi.install.dir=nowhere has no bin/" in ended.err
    assert "exit code 127" in ended.err


def test_a_mpirun_that_is_killed_is_to_blame_itself(gateway: Gateway) -> None:
    (gateway.work / "stay.py").write_text(_STAY)
    running = gateway.start(
        *("--app-type", "mpi", "--worker-num", 1, "--files", "stay.py"),
        *(str(frameworks.python("mpi")), "stay.py"),
    )
    wait_for(lambda: (found := mpirun_of(gateway)) and (found[0].send_signal(9), True), message="no mpirun")
    ended = running.end()
    assert ended.code == 2
    assert "First to fail: scheduler:0" in ended.err and "exit code 137" in ended.err
    assert "| xlearning: mpirun was killed by signal 9" in ended.err
    gateway.nothing_is_left()


@pytest.mark.large  # `test_mpi_launcher` has the rule
def test_a_mpirun_that_ends_late_has_ended_well(gateway: Gateway) -> None:
    real = shutil.which("mpirun")
    assert real is not None
    (gateway.work / "mpirun").write_text(f'#!/bin/sh\n"{real}" "$@"; code=$?; sleep 7; exit $code\n')
    (gateway.work / "mpirun").chmod(0o755)
    ended = gateway.submit(
        *("--app-type", "mpi", "--worker-num", 1),
        *("--env", f"PATH={gateway.work}:{os.environ['PATH']}", "true"),
    )
    assert ended.code == 0, ended.err


def mpirun_of(gateway: Gateway) -> list[psutil.Process]:
    return [process for process in gateway.processes() if words_of(process)[:1] == ["mpirun"]]
