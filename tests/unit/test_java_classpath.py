"""Where the helper of Java formats finds Hadoop's classes."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.errors import UsageError
from xlearning.formats.java import classpath


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_CLASSPATH", "CLASSPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


def command(folder: Path, script: str) -> Path:
    """A `hadoop`."""
    folder.mkdir(parents=True)
    (folder / "hadoop").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "hadoop").chmod(0o755)
    return folder


def test_the_job_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(command(tmp_path / "bin", "exit 1")))
    assert classpath.of_node("/a/*:/b.jar") == ["/a/*", "/b.jar"]
    monkeypatch.setenv("HADOOP_CONF_DIR", "/conf")
    assert classpath.of_node("/a/*::/b.jar:") == ["/conf", "/a/*", "/b.jar"]


def test_the_command_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of HADOOP_HOME before any other one, and each before the variables."""
    monkeypatch.setenv("CLASSPATH", "/variable.jar")
    monkeypatch.setenv("PATH", f"{command(tmp_path / 'bin', 'echo /path/$1')}:/bin")
    assert classpath.of_node(None) == ["/path/classpath"]
    command(tmp_path / "home" / "bin", "echo /home.jar:/home/*")
    monkeypatch.setenv("HADOOP_HOME", str(tmp_path / "home"))
    assert classpath.of_node(None) == ["/home.jar", "/home/*"]


def test_variables_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLASSPATH", "/b.jar")
    assert classpath.of_node(None) == ["/b.jar"]
    monkeypatch.setenv("HADOOP_CLASSPATH", "/a.jar")
    assert classpath.of_node(None) == ["/a.jar", "/b.jar"]


def test_nothing_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="this node does not say where they are") as caught:
        classpath.of_node(None)
    assert "xlearning.java.classpath=" in str(caught.value.hint)
    folder = command(tmp_path / "bin", "exit 3")
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(UsageError, match=f"{folder}/hadoop classpath has failed: .* exit status 3"):
        classpath.of_node(None)
