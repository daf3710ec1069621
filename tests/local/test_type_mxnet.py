"""MXNET with the real MXNet, in an environment of its own; how members die is in `test_type_xflow`."""

from __future__ import annotations

import json

import doc_pages
import frameworks
from submitting import Gateway


def test_the_example_trains_what_one_process_trains(gateway: Gateway) -> None:
    python = frameworks.python("mxnet")
    gateway.environment["OMP_NUM_THREADS"] = "1"
    doc_pages.run(doc_pages.ROOT / "examples" / "mxnet" / "README.md", gateway, python.parent)
    (metrics,) = (gateway.work / "clouds-mxnet").glob("container_*/metrics.json")
    losses = json.loads(metrics.read_text())["loss"]
    assert losses[-1] < 0.4 < 1.0 < losses[0]
    gateway.nothing_is_left()
