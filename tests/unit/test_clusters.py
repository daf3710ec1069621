"""``--cluster``: the files of another cluster on top of the gateway's configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.client.clusters import use_cluster
from xlearning.client.problems import Problem
from xlearning.client.settings import Layers, cluster_option, read_config
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.config import Config, hadoop_xml
from xlearning.errors import ConfigError

HOME = {"fs.defaultFS": "hdfs://home", "hadoop.security.authentication": "simple", "kept": "here"}
BIG = {"fs.defaultFS": "hdfs://big", "yarn.resourcemanager.hostname": "rm.big"}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gateway's configuration, and the file of another cluster."""
    home = tmp_path / "home"
    home.mkdir()
    hadoop_xml.write(home / "core-site.xml", HOME)
    hadoop_xml.write(home / "yarn-site.xml", {"yarn.resourcemanager.hostname": "rm.home", "y": "1"})
    (home / "log4j.properties").write_text("a=b")
    hadoop_xml.write(tmp_path / "big.xml", {**BIG, "hbox.worker.num": "3"})
    hadoop_xml.write(tmp_path / "more.xml", {"dfs.replication": "2", "kept": "there"})
    monkeypatch.setenv("HADOOP_CONF_DIR", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def config(**properties: str) -> Config:
    names = {"cluster": "xlearning.cluster.name", "big": "big.conf.path", "where": "xlearning.local.dir"}
    return Config.from_properties({names[name]: text for name, text in properties.items()})


def test_the_folder_of_another_cluster(files: Path) -> None:
    environ = {"HADOOP_CONF_DIR": str(files / "home")}
    wanted = config(cluster="Big", big=f" {files}/big.xml,file://{files}/more.xml, ", where=str(files / "x"))
    assert use_cluster(wanted, environ) == [files / "big.xml", files / "more.xml"]
    folder = Path(environ["HADOOP_CONF_DIR"])
    assert folder.parent == files / "x" / "clusters" and folder.stat().st_mode & 0o077 == 0
    site = HadoopSite.from_environ(environ)
    assert site.default_fs == "hdfs://big"
    assert site.resource_managers[0].rpc == "rm.big:8032"
    assert [site.get(name) for name in ("kept", "y", "dfs.replication")] == ["there", "1", "2"]
    assert (folder / "log4j.properties").read_text() == "a=b"
    assert use_cluster(wanted, {"HADOOP_CONF_DIR": str(files / "home")}) and list(
        folder.parent.iterdir()
    ) == [folder]


def test_the_second_job_of_a_process_finds_its_cluster(files: Path) -> None:
    environ = {"HADOOP_CONF_DIR": str(files / "home")}
    wanted = config(cluster="big", big=f"{files}/big.xml", where=str(files / "x"))
    use_cluster(wanted, environ)
    (folder,) = (files / "x" / "clusters").iterdir()
    use_cluster(wanted, environ)
    assert environ == {"HADOOP_CONF_DIR": str(folder)}
    assert list((files / "x" / "clusters").iterdir()) == [folder]


def test_a_gateway_without_a_configuration_of_its_own(files: Path) -> None:
    environ: dict[str, str] = {}
    use_cluster(config(cluster="big", big=f"{files}/big.xml", where=str(files / "x")), environ)
    assert HadoopSite.from_environ(environ).default_fs == "hdfs://big"


def test_no_cluster_is_named() -> None:
    environ = {"HADOOP_CONF_DIR": "/x"}
    assert use_cluster(config(big="/a.xml"), environ) == []
    assert environ == {"HADOOP_CONF_DIR": "/x"}


def test_an_unknown_cluster_and_a_file_that_is_not_there(files: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no cluster bigg .*bigg.conf.path is not set") as caught:
        use_cluster(config(cluster="bigg", big="/a.xml"), {})
    assert "known: big" in (caught.value.hint or "")
    with pytest.raises(ConfigError, match="cannot read the configuration file /nowhere"):
        use_cluster(config(cluster="big", big="/nowhere/a.xml", where=str(files / "x")), {})
    assert not (files / "x").exists()


def test_the_option(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(files))
    hadoop_xml.write(
        files / "xlearning-site.xml",
        {"big.conf.path": f"{files}/big.xml", "xlearning.worker.num": "2", "xlearning.ps.num": "1"},
    )
    problems: list[Problem] = []
    found = read_config(Layers(options=cluster_option("big")), problems, [])
    assert found is not None and not problems
    assert (found.get("xlearning.worker.num"), found.get("xlearning.ps.num")) == (3, 1)
    assert found.text("fs.defaultFS") is None
    assert found.source("xlearning.worker.num") == f"cluster file {files}/big.xml"
    assert read_config(Layers(options=cluster_option("small")), problems, []) is None
    assert problems[0].message.startswith("there is no cluster small (--cluster)")
