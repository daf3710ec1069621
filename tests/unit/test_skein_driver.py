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


GIVE_UP = """
import sys, threading
from pathlib import Path
import psutil
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.cluster.skein import SkeinCluster
cluster = SkeinCluster(HadoopSite(Path(sys.argv[1]), {{}}), "me")
cluster.warm_up()
pause = threading.Event()
while not Path({runs!r}).exists():
    pause.wait(0.02)
found = psutil.Process().children(recursive=True)
cluster.close()
gone, left = psutil.wait_procs(found, timeout=30)
print("children:", len(left))
"""


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
    ("yarn", "java"),
    [("sleep 600 & wait", "exit 1"), ("echo /nothing", "sleep 600 & wait")],
    ids=["yarn", "java"],
)
def test_a_program_that_hangs_does_not_outlive_us(yarn: str, java: str, tmp_path: Path) -> None:
    (tmp_path / "core-site.xml").write_text(f"<configuration>{CORE}</configuration>")
    program(tmp_path / "bin" / "yarn", f"touch {tmp_path}/yarn-runs; {yarn}")
    program(tmp_path / "java" / "bin" / "java", f"touch {tmp_path}/java-runs; {java}")
    runs = tmp_path / ("java-runs" if "wait" in java else "yarn-runs")
    script = GIVE_UP.format(runs=str(runs))
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        env={**os.environ, "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "JAVA_HOME": str(tmp_path / "java")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "children: 0\n"), done.stderr


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
