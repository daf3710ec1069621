"""What skein is asked for on a secure cluster: tokens and access lists."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import skein

from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.cluster.skein import SkeinCluster
from xlearning.cluster.skein_spec import specification
from xlearning.cluster.yarn_script import Launch, NodePackage
from xlearning.job import JobSpec, RoleSpec


def made(launch: Launch) -> skein.ApplicationSpec:
    job = JobSpec("", "n", "T", "alice", ("x",), (RoleSpec("worker", 1, 512, 1),), "", "hdfs://nn:1")
    return specification(skein, job, {}, NodePackage("hdfs://nn:1/a.tar.gz"), launch, None)


def test_the_specification_that_is_shown_has_no_secrets(tmp_path: Path) -> None:
    (tmp_path / "core-site.xml").write_text(
        "<configuration><property><name>fs.defaultFS</name><value>hdfs://nn:1</value></property></configuration>"
    )
    cluster = SkeinCluster(HadoopSite(tmp_path, {}), "alice")
    job = JobSpec("", "n", "T", "alice", ("x",), (RoleSpec("worker", 1, 512, 1),), "", "hdfs://nn:1")
    job = dataclasses.replace(
        job, properties={"xlearning.am.env.DB_PASS": "s3crt", "xlearning.am.env.A": "v"}
    )
    launch = Launch("python", "hdfs://nn:1/s", "alice")
    shown = cluster.describe(job, NodePackage("hdfs://nn:1/a.tar.gz"), launch)
    assert "s3crt" not in shown
    assert "export DB_PASS='(hidden)'" in shown and "export A=v" in shown


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
