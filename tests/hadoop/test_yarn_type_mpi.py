"""MPI on a real YARN: several ranks in several containers, with data on HDFS."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import frameworks
import numpy as np
from minihadoop import MiniHadoop
from places import Place
from yarn_gateway import YarnGateway

from xlearning.fs import FileSystems

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_example_learns_what_one_process_learns(
    hadoop: MiniHadoop, hdfs_dir: str, gateway: YarnGateway
) -> None:
    del hadoop
    python, train = str(frameworks.python("mpi")), EXAMPLES / "mpi" / "train.py"
    place = Place(hdfs_dir, FileSystems("file://"))
    make = [sys.executable, EXAMPLES / "ps_numpy" / "make_data.py", gateway.work / "clouds"]
    subprocess.run(make, check=True, capture_output=True)
    for file in (gateway.work / "clouds").iterdir():
        place.write(f"clouds/{file.name}", file.read_bytes())
    ended = gateway.submit(
        *("--app-type", "mpi", "--worker-num", 2, "--conf", "xlearning.mpi.process.num.per.worker=2"),
        *("--conf", "xlearning.scheduler.memory=512", "--files", train, "--output-index", 0),
        *("--input", f"{place.at('clouds')}#data", "--output", f"{place.at('out')}#model"),
        *(python, "train.py", "--steps", 40),
    )
    assert ended.code == 0, ended.err
    alone = [python, train, "--data", "clouds", "--model", "alone", "--steps", "40"]
    said = subprocess.run(alone, cwd=gateway.work, check=True, capture_output=True, text=True).stdout
    assert "rank 0 of 1: 2000 of 2000 rows" in said
    model = np.loadtxt(io.BytesIO(place.read("out/model/weights.csv")), delimiter=",")
    np.testing.assert_allclose(
        model, np.loadtxt(gateway.work / "alone/weights.csv", delimiter=","), atol=1e-12
    )
    assert place.exists("out/_SUCCESS")
    gateway.nothing_is_left_of(ended.app_id)
