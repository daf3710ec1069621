"""`hdfs dfsadmin` on the cluster of a test run."""

from __future__ import annotations

import os
import shutil
import subprocess

from minihadoop import MiniHadoop


def dfsadmin(hadoop: MiniHadoop, *words: str) -> str:
    """What one call says."""
    environ = hadoop.env(dict(os.environ))
    tool = shutil.which("hdfs", path=environ["PATH"])
    assert tool is not None
    done = subprocess.run(
        [tool, "dfsadmin", *words], env=environ, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
