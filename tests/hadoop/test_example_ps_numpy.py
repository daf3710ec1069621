"""The example program reads its files straight from a real HDFS."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from xlearning.fs.native import HdfsFileSystem

pytestmark = pytest.mark.hadoop
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ps_numpy"


def run(folder: Path, *command: str, **variables: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**inherited, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_placeholder_addresses(tmp_path: Path, hdfs_dir: str) -> None:
    paths = run(tmp_path, str(EXAMPLE / "make_data.py"), "made").split()
    fs = HdfsFileSystem(hdfs_dir)
    uris = [f"{hdfs_dir}/with space, 50% and é/{Path(path).name}" for path in paths]
    for path, uri in zip(paths, uris, strict=True):
        with fs.open_write(uri) as stream:
            stream.write((tmp_path / path).read_bytes())
    listed = json.dumps({"data": uris})
    run(tmp_path, str(EXAMPLE / "train.py"), "--steps", "20", INPUT_FILE_LIST=listed)
    out = run(tmp_path, str(EXAMPLE / "reference.py"), "model/weights.npz", *paths, "--steps", "20")
    assert float(out.rpartition(" ")[2]) < 1e-9
    with np.load(tmp_path / "model/weights.npz") as model:
        assert model["weights"].shape == (9, 3)
