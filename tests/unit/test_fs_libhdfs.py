"""What is said where libhdfs cannot be used, in a process that does without Python's ssl as agents do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
sys.modules["ssl"] = None
from xlearning.errors import XLearningError
from xlearning.fs.libhdfs import LibhdfsFileSystem
try:
    LibhdfsFileSystem("hdfs://nn:1")._system()
except XLearningError as error:
    print(error.message)
"""


@pytest.mark.parametrize(
    ("class_path", "words"),
    [
        ("", "libhdfs finds no Hadoop: CLASSPATH names no jar"),
        ("/nowhere/x.jar", "libhdfs cannot be used for hdfs://nn:1: "),
    ],
)
def test_what_is_missing(class_path: str, words: str, tmp_path: Path) -> None:
    hidden = ("HADOOP_HOME", "ARROW_LIBHDFS_DIR", "HADOOP_CONF_DIR")
    environ = {name: value for name, value in os.environ.items() if name not in hidden}
    environ |= {"PATH": str(tmp_path), "CLASSPATH": class_path, "JAVA_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environ, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith(words) and done.stdout.count("\n") == 1
