"""What doctor says about gateways in bad shape: versions, properties, Java, Hadoop's client, tickets."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from xlearning.client.doctor import gateway, hadoop, report
from xlearning.client.doctor.gateway import Found
from xlearning.client.doctor.hadoop import Cluster
from xlearning.client.doctor.model import Finding, Mark, Result
from xlearning.client.problems import Problem
from xlearning.cluster import gssapi
from xlearning.cluster.gssapi import Credential
from xlearning.config import Config, load
from xlearning.errors import ConfigError, CredentialsError

DEFAULTS = Config.from_properties({})


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_dependencies() -> None:
    versions = {"old": "1.0", "good": "2.1"}

    def version(name: str) -> str:
        if name not in versions:
            raise importlib.metadata.PackageNotFoundError(name)
        return versions[name]

    needs = ["good>=2,<3", "other>=1; python_version<'3'", "extra; extra=='test'"]
    assert gateway.dependencies(needs, version) == Finding(
        Mark.OK, "1 packages, all in versions that will do"
    )
    bad = gateway.dependencies([*needs, "old>=2", "none>=1"], version)
    assert (bad.mark, bad.text) == (Mark.PROBLEM, "old is 1.0, not >=2; none>=1 is missing")
    assert gateway.dependencies(None, version).mark is Mark.WARNING
    assert gateway.dependencies(gateway.requirements(), importlib.metadata.version).mark is Mark.OK


def test_properties(tmp_path: Path) -> None:
    assert gateway.properties(DEFAULTS, Found()).text == "no site file; 0 properties are set"
    path = tmp_path / "xlearning-site.xml"
    row = "<property><name>xlearning.app.queue</name><value>q</value></property>"
    path.write_text(f"<configuration>{row}</configuration>")
    config = load(environ={}, conf_dir=tmp_path)
    assert gateway.properties(config, Found()).text == f"site file {path}; 1 property is set"
    odd = gateway.properties(config, Found(warnings=["unknown property x"]))
    assert (odd.mark, odd.text) == (Mark.WARNING, f"site file {path}\nunknown property x")
    for unusable in (None, config):
        bad = gateway.properties(unusable, Found([Problem("bad value", "write it so")], ["odd"]))
        assert (bad.mark, bad.text.endswith("bad value\nodd"), bad.fix) == (Mark.PROBLEM, True, "write it so")


def test_each_trouble_with_properties_has_a_line_and_its_fix() -> None:
    trouble = Found([Problem("2 bad properties:\n  a=1\n  b=2"), Problem("c is odd", "drop c")], ["d is new"])
    found = gateway.properties(None, trouble)
    told = report.lines(Result("properties", "Gateway", "Properties", found, 0.0))
    assert [line.strip() for line in told[1:]] == [
        *("a=1", "b=2", "c is odd (fix: drop c)", "d is new", "fix: correct these properties"),
    ]
    assert told[0].endswith("2 bad properties:")


def test_java(tmp_path: Path) -> None:
    environ = {"PATH": str(tmp_path / "none")}
    assert "no java is on PATH" in hadoop.java(environ).text
    environ["JAVA_HOME"] = str(tmp_path)
    found = hadoop.java(environ)
    assert (found.mark, found.text) == (
        *(Mark.PROBLEM, f"JAVA_HOME={tmp_path}: there is no {tmp_path}/bin/java"),
    )
    java = script(tmp_path / "bin", "java", "echo 'openjdk version \"17.0.1\"' >&2")
    assert hadoop.java(environ) == Finding(Mark.OK, f"17.0.1 ({java}; JAVA_HOME is {tmp_path})")
    assert hadoop.java({"PATH": str(java.parent)}).text == f"17.0.1 ({java}; JAVA_HOME is not set)"
    script(tmp_path / "bin", "java", "echo 'java version \"1.7.0_80\"' >&2")
    assert hadoop.java(environ).mark is Mark.PROBLEM
    script(tmp_path / "bin", "java", "echo broken; exit 1")
    assert "tells no version" in hadoop.java(environ).text
    assert [hadoop.major(text) for text in ("17.0.1", "1.8.0_392", "21", "x")] == [17, 8, 21, 0]


def test_programs(tmp_path: Path) -> None:
    environ = {"PATH": str(tmp_path)}
    assert hadoop.programs(environ).text == "yarn is not on PATH"
    script(tmp_path, "yarn", "")
    script(tmp_path, "hdfs", "")
    found = hadoop.programs(environ)
    assert (found.mark, found.text.endswith("not on PATH: hadoop")) == (Mark.WARNING, True)
    script(tmp_path, "hadoop", "")
    assert hadoop.programs(environ).mark is Mark.OK


def cluster(folder: Path, **core: str) -> Cluster:
    values = {
        "fs.defaultFS": "hdfs://nn:8020",
        **{key.replace("_", "."): value for key, value in core.items()},
    }
    rows = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in values.items())
    (folder / "core-site.xml").write_text(f"<configuration>{rows}</configuration>")
    return Cluster({"HADOOP_CONF_DIR": str(folder), "PATH": str(folder)}, DEFAULTS, "me")


def test_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="HADOOP_CONF_DIR is not set"):
        Cluster({}, DEFAULTS, "me").configuration()
    bare = cluster(tmp_path)
    found = bare.configuration()
    assert (found.mark, "without hdfs-site.xml and yarn-site.xml" in found.text) == (Mark.WARNING, True)
    for name in ("hdfs-site.xml", "yarn-site.xml"):
        (tmp_path / name).write_text("<configuration/>")
    found = cluster(tmp_path).configuration()
    assert (found.mark, "resourcemanager.hostname" in found.text) == (Mark.PROBLEM, True)
    found = cluster(tmp_path, yarn_resourcemanager_hostname="rm").configuration()
    assert (found.mark, found.text) == (*(Mark.OK, f"{tmp_path}: HDFS is hdfs://nn:8020, YARN is rm:8032"),)


def test_a_cluster_that_does_not_ask(tmp_path: Path) -> None:
    asked = cluster(tmp_path)
    assert asked.ticket().text == "me; the cluster does not ask for Kerberos"
    assert not asked.secure


def test_tickets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [7200]
    monkeypatch.setattr(gssapi, "available", lambda: True)
    monkeypatch.setattr(gssapi, "credential", lambda _principal="": Credential("alice@A.B", left[0]))
    secure = cluster(tmp_path, hadoop_security_authentication="kerberos")
    told = secure.ticket()
    assert (told.mark, told.text) == (
        *(
            Mark.OK,
            "alice@A.B; the ticket lasts 2h 00m, klist is not there to tell whether it can be renewed",
        ),
    )
    assert (secure.user, secure.secure) == ("alice", True)
    script(tmp_path, "klist", "echo 'renew until 12/07/26 02:00:00'")
    assert secure.ticket().text.endswith("renewable until 12/07/26 02:00:00")
    script(tmp_path, "klist", "true")
    left[0] = 60
    told = secure.ticket()
    assert (told.mark, told.text.endswith("not renewable"), "kinit" in told.fix) == (Mark.WARNING, True, True)
    left[0] = 0
    with pytest.raises(CredentialsError, match="has expired"):
        secure.ticket()
