"""Every row of docs/preflight.md that is about YARN, asked of the real cluster; nothing is submitted."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from places import Place
from preflight_table import keeps, rows, said_by
from webhdfs import WebHdfs

from xlearning.client.preflight import queues
from xlearning.client.problems import Problem
from xlearning.cluster.yarn_facts import Facts
from xlearning.cluster.yarn_queues import Queue, Scheduler
from xlearning.config import Config
from xlearning.job import JobSpec, RoleSpec

ROWS = rows("On YARN")
AWAY = "127.0.0.1:1"
SMALL = ("--am-memory", 512, "--worker-memory", 512)


@dataclass
class Gateway:
    """This process as a gateway of the cluster."""

    hadoop: MiniHadoop
    place: Place
    patch: pytest.MonkeyPatch

    def said(self, *words: object) -> str:
        return said_by("--dry-run", *words, "--", "true")

    def conf(self, name: str, value: object, *words: object) -> str:
        return self.said("--conf", f"{name}={value}", *words)

    def without_conf(self) -> str:
        for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME"):
            self.patch.delenv(name, raising=False)
        return self.said()

    def without(self, site: str, *keys: str) -> str:
        """A part of the cluster is away, and a local file is missing on top."""
        shutil.copytree(self.hadoop.layout.conf, "hadoop-conf")
        path = Path("hadoop-conf", f"{site}-site.xml").absolute()
        value = f"hdfs://{AWAY}" if site == "core" else AWAY
        row = "".join(f"<property><name>{key}</name><value>{value}</value></property>" for key in keys)
        path.write_text(path.read_text().replace("</configuration>", f"{row}</configuration>"))
        self.patch.setenv("HADOOP_CONF_DIR", str(path.parent))
        said = self.said("--files", "nofile", "--input", "/nowhere#data", "--output", "/out#o")
        assert "there is no file://" in said, said
        return said

    def without_programs(self) -> str:
        self.patch.setenv("PATH", "/nowhere")
        self.patch.delenv("JAVA_HOME", raising=False)
        return self.said()

    def as_stranger(self, *words: object) -> str:
        """What somebody without a home is told, who may not write where others may not."""
        self.patch.setenv("HADOOP_USER_NAME", "stranger")
        return self.said(*words)

    def at_home(self, *words: object) -> str:
        """What a stranger is told who has a home, and may write to the folder ``open``."""
        web, home = WebHdfs(self.hadoop.namenode_web), "/user/stranger"
        self.place.storage.of(self.place.uri).mkdirs(self.place.at("open"), mode=0o1777)
        web.mkdirs(home)
        web.chown(home, "stranger")
        try:
            staging = f"xlearning.staging.dir={self.place.at('open')}/staging"
            return self.as_stranger("--conf", staging, *words)
        finally:
            web.delete(home)

    def closed(self, name: str) -> str:
        """A path in a folder that only we may write to."""
        self.place.storage.of(self.place.uri).mkdirs(self.place.at("closed"), mode=0o755)
        return self.place.at(f"closed/{name}")

    def secret(self) -> str:
        """A folder that only we may read."""
        self.place.write("secret/part", b"1")
        self.place.storage.of(self.place.uri).chmod(self.place.at("secret"), 0o700)
        return self.place.at("secret")

    def package(self, name: str, version: str = "") -> str:
        """What is said of an administrator's package."""
        if version:
            record = f'{{"xlearning": "{version}"}}'.encode()
            with tarfile.open(name, "w:gz") as tar:
                member = tarfile.TarInfo("./xlearning-package.json")
                member.size = len(record)
                tar.addfile(member, io.BytesIO(record))
            self.place.write(name, Path(name).read_bytes())
        elif name.startswith("text"):
            self.place.write(name, b"no archive")
        return self.conf("xlearning.yarn.archive", self.place.at(name))

    def shipped(self, option: str, name: str) -> str:
        with tarfile.open(name, "w:bz2") as tar:
            tar.addfile(tarfile.TarInfo("x"), io.BytesIO())
        return self.said(option, name)


@pytest.fixture
def gateway(hadoop: MiniHadoop, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gateway:
    monkeypatch.chdir(tmp_path)
    for name, value in hadoop.env(dict(os.environ)).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(tmp_path))
    WebHdfs(hadoop.namenode_web).mkdirs("/user")
    return Gateway(hadoop, place, monkeypatch)


def judged(scheduler: Scheduler, labels: tuple[str, ...] = (), **properties: str) -> str:
    """What is said on a cluster with these queues and labels, which the cluster of the tests has not."""
    named = {f"xlearning.{name.replace('_', '.')}": value for name, value in properties.items()}
    config, facts = Config.from_properties(named), Facts(scheduler=scheduler, labels=labels)
    problems: list[Problem] = []
    notes: list[str] = []
    queues.check(config, facts, "me", problems, notes)
    job = JobSpec("", "n", "X", "me", ("true",), (RoleSpec("worker", 1, 1, 1),), "", "hdfs://h")
    problems += queues.check_labels(job, config, facts, queues.find(config, facts))
    return "\n".join([*notes, *(f"{problem.message}\n{problem.fix}" for problem in problems)])


LABEL = "xlearning.worker.nodeLabelExpression"
CASES: dict[str, Callable[[Gateway], str]] = {
    "no Hadoop configuration": lambda g: g.without_conf(),
    "HDFS does not answer": lambda g: g.without("core", "fs.defaultFS"),
    "the ResourceManager does not answer": lambda g: g.without(
        "yarn", "yarn.resourcemanager.address", "yarn.resourcemanager.webapp.address"
    ),
    "Hadoop's commands or Java are missing": lambda g: g.without_programs(),
    "the queue does not exist": lambda g: g.said("--queue", "smal"),
    "no queue is named and there is no default (note)": lambda _: judged(
        Scheduler("capacity", (Queue("root", leaf=False), Queue("root.a")))
    ),
    "several queues have the name": lambda _: judged(
        Scheduler("capacity", (Queue("root.x.a"), Queue("root.y.a"))), app_queue="a"
    ),
    "the queue holds queues": lambda g: g.said("--queue", "team"),
    "the queue is stopped": lambda g: g.said("--queue", "stopped"),
    "the queue is full": lambda g: g.said("--queue", "root.team.full"),
    "a container with too much memory": lambda g: g.said("--worker-memory", "100G"),
    "a container with too many cores": lambda g: g.said("--worker-cores", 1000),
    "GPUs where there are none": lambda g: g.said("--worker-gpus", 1),
    "too large an ApplicationMaster": lambda g: g.said("--am-memory", "100G"),
    "a container larger than those of the queue": lambda g: g.said(
        "--am-memory", 512, "--worker-memory", "2G", "--queue", "small"
    ),
    "more than the queue can ever give": lambda g: g.said(*SMALL, "--queue", "small", "--worker-num", 9),
    "more than the queue gives one user": lambda g: g.said(*SMALL, "--queue", "root.team.closed"),
    "the node label does not exist": lambda g: g.conf(LABEL, "gpu"),
    "the queue may not use the node label": lambda _: judged(
        Scheduler("capacity", (Queue("root.a", labels=("cpu",)),)),
        ("cpu", "gpu"),
        app_queue="a",
        worker_nodeLabelExpression="gpu",
    ),
    "the priority is none": lambda g: g.said("--priority", "FAST"),
    "no home folder": lambda g: g.as_stranger(),
    "the staging folder is not writable": lambda g: g.as_stranger(
        "--conf", f"xlearning.staging.dir={g.closed('s')}"
    ),
    "the output's folder is not writable": lambda g: g.as_stranger("--output", f"{g.closed('out')}#o"),
    "the input may not be read": lambda g: g.as_stranger("--input", f"{g.secret()}#data"),
    "the history is not writable (note)": lambda g: g.at_home(
        "--conf", f"xlearning.history.log.dir={g.closed('h')}"
    ),
    "the administrator's package is missing": lambda g: g.package("none.tar.gz"),
    "the administrator's package is none": lambda g: g.package("text.tar.gz"),
    "the administrator's package is of another version": lambda g: g.package("old.tar.gz", "0.0.1"),
    "YARN does not unpack such a name": lambda g: g.shipped("--archiveFiles", "env.tbz2"),
    "a text for YARN that is none": lambda g: g.said("--app-name", "a\udcff"),
    "an output on HDFS with a colon": lambda g: g.said("--output", f"{g.place.at('a:b')}#m"),
    "a name that a shell would misread": lambda g: g.shipped("--files", "a$b"),
}


def test_each_row_has_a_case() -> None:
    assert list(CASES) == list(ROWS)


@pytest.mark.parametrize("situation", CASES)
def test_row(situation: str, gateway: Gateway) -> None:
    keeps(ROWS[situation], CASES[situation](gateway))


def test_everything_at_once(gateway: Gateway, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the plan, of HDFS and of YARN, in one list; and what is right is told to be so."""
    said = gateway.said(
        *("--files", "nofile", "--input", "/nowhere#data", "--queue", "stopped", "--worker-memory", "100G"),
        *("--conf", f"{LABEL}=gpu", "--priority", "FAST"),
    )
    assert "6 problems:" in said
    for name in ("night shift", "root.team.night shift", "small", "default", ""):
        said = gateway.said("--verbose", *SMALL, *(("--queue", name) if name else ()))
        assert "problem" not in said
        assert "queue" not in said
        assert f"queue: {name or 'default'}\n" in capsys.readouterr().out


def test_a_user_with_a_home_and_folders_for_everybody(gateway: Gateway) -> None:
    folder = gateway.place.at("open")
    said = gateway.at_home(
        *("--output", f"{folder}/out#o", "--output", "out#p"),
        *("--conf", f"xlearning.history.log.dir={folder}/history"),
    )
    assert "cannot" not in said
    assert gateway.place.children("open") == []  # nothing was written to find that out
