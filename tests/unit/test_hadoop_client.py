"""What of a gateway's Hadoop configuration goes to nodes that have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.cluster.hadoop_client import client_files, is_needed
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.config import hadoop_xml


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("fs.defaultFS", True),
        ("fs.viewfs.mounttable.c.link./data", True),
        ("fs.viewfs.mounttable.c.link./secret/passwords", True),
        ("dfs.user.home.dir.prefix", True),
        ("dfs.nameservices", True),
        ("dfs.ha.namenodes.ns1", True),
        ("dfs.namenode.rpc-address.ns1.nn1", True),
        ("dfs.client.failover.proxy.provider.ns1", True),
        ("dfs.namenode.kerberos.principal", True),
        ("hadoop.security.authentication", True),
        ("hadoop.rpc.protection", True),
        ("fs.s3a.endpoint", True),
        ("fs.s3a.bucket.my.bucket.endpoint.region", True),
        ("fs.s3a.bucket.b.secret.key", False),
        ("fs.s3a.secret.key", False),
        ("fs.s3a.access.key", False),
        ("hadoop.security.credential.provider.path", False),
        ("ssl.client.keystore.password", False),
        ("dfs.client.https.keystore.password", False),
        ("dfs.namenode.name.dir", False),
        ("hadoop.tmp.dir", False),
        ("yarn.resourcemanager.address", False),
    ],
)
def test_only_what_a_client_needs(name: str, needed: bool) -> None:
    assert is_needed(name) is needed


def test_two_files(tmp_path: Path) -> None:
    core = {"fs.defaultFS": "hdfs://${ns}", "ns": "big", "fs.s3a.secret.key": "hidden", "x": "<&é'>"}
    hadoop_xml.write(tmp_path / "core-site.xml", core)
    hadoop_xml.write(tmp_path / "hdfs-site.xml", {"dfs.nameservices": "big", "dfs.datanode.data.dir": "/d"})
    found = client_files(HadoopSite(tmp_path, {}))
    out = tmp_path / "out"
    out.mkdir()
    for name, text in found.items():
        (out / name).write_text(text, encoding="utf-8")
    assert hadoop_xml.read(out / "core-site.xml").values == {"fs.defaultFS": "hdfs://big"}
    assert hadoop_xml.read(out / "hdfs-site.xml").values == {"dfs.nameservices": "big"}
