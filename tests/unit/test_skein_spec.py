"""What skein is asked for on a secure cluster: tokens and access lists."""

from __future__ import annotations

import skein

from xlearning.cluster.skein_spec import specification
from xlearning.cluster.yarn_script import Launch, NodePackage
from xlearning.job import JobSpec, RoleSpec


def made(launch: Launch) -> skein.ApplicationSpec:
    job = JobSpec("", "n", "T", "alice", ("x",), (RoleSpec("worker", 1, 512, 1),), "", "hdfs://nn:1")
    return specification(skein, job, {}, NodePackage("hdfs://nn:1/a.tar.gz"), launch, None)


def test_a_plain_cluster() -> None:
    spec = made(Launch("python", "hdfs://nn:1/s", "alice"))
    assert not spec.acls.enable
    assert spec.file_systems == []


def test_the_owner_is_named_and_every_file_system() -> None:
    spec = made(Launch("python", "hdfs://nn:1/s", "", ("hdfs://nn:1", "hdfs://other"), ("alice", "bob")))
    assert spec.acls.enable
    assert spec.acls.ui_users == spec.acls.view_users == ["alice", "bob"]
    assert spec.acls.modify_users == []
    assert spec.file_systems == ["hdfs://nn:1", "hdfs://other"]
