"""What an attempt asks for: memory that grows, and skein's services for it."""

from __future__ import annotations

from typing import Any

import pytest
import skein

from xlearning.cluster import attempts
from xlearning.cluster.skein_spec import specification
from xlearning.cluster.yarn_script import Launch
from xlearning.config import Config
from xlearning.job import JobSpec, RoleSpec

ROLES = (RoleSpec("ps", 1, 1000, 2), RoleSpec("worker", 3, 1001, 4))


def config(attempts: int, worker: str = "0.5", ps: str = "0.2") -> dict[str, str]:
    return {
        "xlearning.app.max.attempts": str(attempts),
        "xlearning.worker.mem.autoscale": worker,
        "xlearning.ps.mem.autoscale": ps,
    }


def spec(**more: str) -> Any:
    job = JobSpec(
        app_id="",
        app_name="n",
        app_type="TENSORFLOW",
        user="u",
        command=("true",),
        roles=ROLES,
        staging="",
        default_fs="hdfs://h",
        properties=more,
    )
    launch = Launch("/python", "hdfs://h/staging", "u")
    security = skein.Security(cert_bytes=b"c", key_bytes=b"k")
    return specification(skein, job, {}, "hdfs://h/lib.tar.gz", launch, security)


@pytest.mark.parametrize(("attempt", "ps", "worker"), [(1, 1000, 1001), (2, 1200, 1502), (3, 1400, 2003)])
def test_memory_grows_by_whole_steps(attempt: int, ps: int, worker: int) -> None:
    read = Config.from_properties(config(3))
    assert [attempts.grow(role, read, attempt).memory_mb for role in ROLES] == [ps, worker]


def test_an_attempt_too_many_grows_no_further() -> None:
    """YARN starts one where a node was lost."""
    once, twice = Config.from_properties(config(1)), Config.from_properties(config(2))
    assert attempts.grow(ROLES[0], once, 2) == ROLES[0]
    assert attempts.grow(ROLES[0], twice, 5).memory_mb == 1200
    assert attempts.own_service_attempt(ROLES, once, 2) == 1
    assert attempts.own_service_attempt(ROLES, twice, 5) == 2


def test_one_attempt_has_one_service_per_role() -> None:
    services = spec().services
    assert {name: s.instances for name, s in services.items()} == {"ps": 1, "worker": 3}
    assert all(s.max_restarts == 0 and s.allow_failures for s in services.values())


def test_grown_services_have_no_containers_yet() -> None:
    made = spec(**config(3))
    assert made.max_attempts == 3
    found = {name: (s.instances, s.resources.memory) for name, s in made.services.items()}
    assert found == {
        "ps": (1, 1000),
        "worker": (3, 1001),
        "ps.a2": (0, 1200),
        "worker.a2": (0, 1502),
        "ps.a3": (0, 1400),
        "worker.a3": (0, 2003),
    }
    assert "XLEARNING_ROLE=worker\n" in made.services["worker.a3"].script


def test_memory_that_does_not_grow_uses_the_containers_of_the_submission() -> None:
    properties = config(3, worker="0", ps="0")
    assert set(spec(**properties).services) == {"ps", "worker"}
    assert attempts.own_service_attempt(ROLES, Config.from_properties(properties), 3) == 1
