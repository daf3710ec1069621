"""Horovod with TensorFlow, built with gloo or MPI alone: that takes minutes, so it is for `make test-all`."""

from __future__ import annotations

import json
import subprocess

import doc_pages
import frameworks
import pytest
from submitting import Gateway

EXAMPLE = doc_pages.ROOT / "examples" / "horovod"


_BUILT = "import horovod.tensorflow as hvd; print(bool(hvd.gloo_built()), bool(hvd.mpi_built()))"


@pytest.mark.large
@pytest.mark.parametrize(("name", "built"), [("horovod", "True False"), ("horovod-mpi", "False True")])
def test_processes_of_two_workers_learn_the_same(name: str, built: str, gateway: Gateway) -> None:
    python = frameworks.python(name)
    assert (
        subprocess.run([python, "-c", _BUILT], capture_output=True, text=True).stdout.split() == built.split()
    )
    doc_pages.run(EXAMPLE / "README.md", gateway, python.parent, seconds=240)
    paths = sorted(gateway.work.glob("weights/*/*.json"), key=lambda path: path.name)
    seen = [json.loads(path.read_text()) for path in paths]
    assert [one["where"] for one in seen] == [
        [0, 4, 0, 2, 0, 2],
        [1, 4, 1, 2, 0, 2],
        [2, 4, 0, 2, 1, 2],
        [3, 4, 1, 2, 1, 2],
    ]
    assert all(one["weights"] == seen[0]["weights"] for one in seen)
    assert seen[0]["weights"] == pytest.approx([1, 2, 3], abs=0.01)
    gateway.nothing_is_left()
