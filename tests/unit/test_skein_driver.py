"""skein's driver cannot be started: one sentence, and nothing on standard error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CORE = "<property><name>fs.defaultFS</name><value>hdfs://nn:1</value></property>"


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


SCRIPT = """
import sys
from pathlib import Path
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.cluster.skein import SkeinCluster
from xlearning.errors import ClusterError
cluster = SkeinCluster(HadoopSite(Path(sys.argv[1]), {}), "me")
try:
    cluster.await_driver()
except ClusterError as error:
    print(error.message)
cluster.close()
"""


@pytest.mark.parametrize(
    ("yarn", "words"),
    [("echo no such command >&2; exit 3", "yarn classpath"), ("echo /nothing", "driver cannot be started")],
    ids=["yarn", "java"],
)
def test_a_program_that_fails(yarn: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "core-site.xml").write_text(f"<configuration>{CORE}</configuration>")
    program(tmp_path / "bin" / "yarn", yarn)
    program(tmp_path / "java" / "bin" / "java", "exit 1")
    path, java = f"{tmp_path / 'bin'}:/usr/bin:/bin", str(tmp_path / "java")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env={**os.environ, "PATH": path, "JAVA_HOME": java},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert words in done.stdout
    assert "Exception ignored" not in done.stderr
    assert "_proc" not in done.stderr
