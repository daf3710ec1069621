"""What MPI, TENSORNET and HOROVOD jobs ask for, and what their launcher and nodes are told."""

from __future__ import annotations

import ast
import inspect
import json
import re

import pytest

from xlearning.config import Config
from xlearning.container.mpi import node, scripts
from xlearning.container.mpi.launcher import Node
from xlearning.errors import ClusterError
from xlearning.frameworks import framework
from xlearning.frameworks.base import AGENT_PYTHON, Crew, Setup
from xlearning.job import SCHEDULER, WORKER, JobSpec, Member, RoleSpec, Task

LAUNCHER = Member("node0", (20001, 20002), "10.0.0.1")
CLUSTER = {SCHEDULER: (LAUNCHER,), WORKER: (Member("node1"), Member("node2"), Member("node2"))}


def config(**properties: object) -> Config:
    """``mpi__install__dir`` stands for ``xlearning.mpi.install.dir``."""
    given = {f"xlearning.{name.replace('__', '.')}": str(text) for name, text in properties.items()}
    return Config.from_properties(given)


def setup(app_type: str, task: Task, given: Config) -> Setup:
    type_ = framework(app_type)
    job = JobSpec(
        app_id="application_1_0001",
        app_name="name",
        app_type=app_type,
        user="alice",
        command=("-x", "A=1", "./demo", "a b"),
        roles=type_.roles(Crew(3, 0, False), given),
        staging="file:///staging",
        default_fs="file://",
    )
    return type_.setup(job, given, task, CLUSTER)


def plan(made: Setup) -> dict[str, object]:
    return dict(json.loads(made.files[".xlearning-mpi/plan.json"]))


@pytest.mark.parametrize("app_type", ["MPI", "TENSORNET", "HOROVOD", "mpi"])
def test_a_launcher_beside_the_workers_of_a_gang(app_type: str) -> None:
    type_, given = framework(app_type), config(worker__memory="2g", scheduler__memory=256)
    roles = type_.roles(Crew(3, 0, False), given)
    assert roles == (RoleSpec(SCHEDULER, 1, 256, 1), RoleSpec(WORKER, 3, 2048, 1))
    rules = type_.rules(None, given)  # type: ignore[arg-type]
    assert rules.gang and dict(rules.ports) == {SCHEDULER: 2 if app_type == "HOROVOD" else 1}
    assert not rules.service_roles and rules.upload_roles == {WORKER}


def test_the_launcher_and_a_node() -> None:
    launcher = setup("MPI", Task(SCHEDULER, 0, 1), config())
    node = setup("MPI", Task(WORKER, 2, 1), config(mpi__install__dir="openmpi"))
    for made, part in ((launcher, "launcher"), (node, "node")):
        assert made.command == (AGENT_PYTHON, "-E", "-s", ".xlearning-mpi/run.py")
        assert f"from xlearning.container.mpi.{part} import main" in made.files[".xlearning-mpi/run.py"]
        for name, text in made.files.items():
            assert name.startswith(".xlearning-mpi/")
            if name.endswith(".py"):
                ast.parse(text)
    told = plan(launcher)
    assert told["command"] == ["-x", "A=1", "./demo", "a b"]
    assert (told["index"], told["nodes"], told["processes"]) == (-1, 3, 1)
    assert (told["address"], told["launcher"]) == ("10.0.0.1", ["node0", 20001])
    assert (told["home"], told["home_given"]) == ("/usr/local/openmpi/", False)
    told = plan(node)
    assert (told["index"], told["address"], told["launcher"]) == (2, "node2", ["node0", 20001])
    assert (told["home"], told["home_given"]) == ("openmpi", True)


def test_a_launcher_that_only_its_own_host_finds_is_named() -> None:
    """Workers have no ports, and so no addresses."""
    type_, given = framework("MPI"), config()
    job = JobSpec(
        "a", "n", "MPI", "me", ("x",), type_.roles(Crew(1, 0, False), given), "file:///s", "file://"
    )
    launcher = Member("node0", (20001,), "127.0.1.1")
    for host in ("node0", "127.0.0.2"):
        assert type_.setup(job, given, Task(WORKER, 0, 1), {SCHEDULER: (launcher,), WORKER: (Member(host),)})
    with pytest.raises(ClusterError, match=r"node node0 takes its own name for 127.0.1.1"):
        type_.setup(job, given, Task(WORKER, 0, 1), {SCHEDULER: (launcher,), WORKER: (Member("node1"),)})


def test_indices_count_from_1_as_in_the_original() -> None:
    env = setup("TENSORNET", Task(WORKER, 0, 1), config(custom__exit="code.txt")).env
    assert env == {"INDEX": "0", "TF_INDEX": "1", "HBOX_CUSTOM_EXIT": "code.txt"}


def test_ranks_of_each_worker_and_libraries_have_properties_of_their_own() -> None:
    given = {"mpi__process__num__per__worker": 2, "horovod__process__num__per__worker": 3}
    given |= {"mpi__extra__ld__library__path": "/m", "horovod__extra__ld__library__path": "/h"}
    for app_type, processes, libraries in (("MPI", 2, "/m"), ("TENSORNET", 2, "/m"), ("HOROVOD", 3, "/h")):
        told = plan(setup(app_type, Task(WORKER, 0, 1), config(**given)))
        assert (told["processes"], told["libraries"]) == (processes, libraries)
        assert told["store"] == (20002 if app_type == "HOROVOD" else 0)


def test_horovod_properties_become_its_variables() -> None:
    assert not [name for name in setup("HOROVOD", Task(WORKER, 0, 1), config()).env if name[:7] == "HOROVOD"]
    given = config(
        horovod__mpi__threads__disable="true",
        horovod__timeline="/tmp/t.json",
        horovod__fusion__threshold=0,
        horovod__cycle__time="3.5",
        horovod__stall__check__disable="true",
        horovod__hierarchical__allreduce="true",
    )
    env = setup("HOROVOD", Task(WORKER, 0, 1), given).env
    assert {name: text for name, text in env.items() if name.startswith("HOROVOD")} == {
        "HOROVOD_MPI_THREADS_DISABLE": "1",
        "HOROVOD_TIMELINE": "/tmp/t.json",
        "HOROVOD_FUSION_THRESHOLD": "0",
        "HOROVOD_CYCLE_TIME": "3.5",
        "HOROVOD_STALL_CHECK_DISABLE": "1",
        "HOROVOD_HIERARCHICAL_ALLREDUCE": "1",
    }


def test_gloo_of_horovod_is_told_the_interface_that_leads_to_another_worker() -> None:
    assert setup("HOROVOD", Task(WORKER, 0, 1), config()).interfaces == {"HOROVOD_GLOO_IFACE": "node2"}
    assert setup("HOROVOD", Task(WORKER, 1, 1), config()).interfaces == {"HOROVOD_GLOO_IFACE": "node1"}
    assert not setup("HOROVOD", Task(SCHEDULER, 0, 1), config()).interfaces
    assert not setup("MPI", Task(WORKER, 0, 1), config()).interfaces


def test_what_is_set_beside_a_rank_is_told_as_fixed() -> None:
    text = scripts._RANK + inspect.getsource(node)
    names = set(re.findall(r"HOROVOD_\w+", text))
    assert {"HOROVOD_CROSS_RANK", "HOROVOD_SIZE"} <= names
    assert all(name.startswith(framework("HOROVOD").fixed) for name in names)
    assert not any(name.startswith(framework("MPI").fixed) for name in names)


def test_ranks_of_one_worker_cannot_share_its_stream() -> None:
    words = {"input__strategy": "STREAM", "mpi__process__num__per__worker": 2}
    ((what, way_out),) = framework("MPI").problems(Crew(1, 0, False), config(**words))
    assert "cannot share one standard input" in what and "more workers" in way_out
    words["mpi__process__num__per__worker"] = 1
    assert not framework("MPI").problems(Crew(1, 0, False), config(**words))


def test_whom_the_launcher_blames() -> None:
    def ended(**told: object) -> Node:
        return Node(0, None, **told)  # type: ignore[arg-type]

    assert ended(ended=0).blame(3) is None
    assert ended(ended=1, failed=[[4, 1], [5, 3]]).blame(3) == (3, "rank 5 ended with exit code 3")
    assert ended(ended=1, failed=[[4, 1]]).blame(3) == (1, "rank 4 ended with exit code 1")
    assert ended(ended=137).blame(205) == (137, "Open MPI's daemon (orted) ended with exit code 137")
    assert ended(ended=0, custom=4).blame(4) == (4, "the program has written 4 as its exit code")


def test_open_mpi_is_kept_to_one_interface() -> None:
    kept = {"OMPI_MCA_oob_tcp_if_include": "10.0.0.1/31", "OMPI_MCA_btl_tcp_if_include": "10.0.0.1/31"}
    assert node._interface("10.0.0.1") == kept  # with /32 it would take all of them
