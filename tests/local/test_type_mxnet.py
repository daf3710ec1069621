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


def test_a_worker_that_ends_by_an_exception_is_not_waited_for(gateway: Gateway) -> None:
    """MXNet itself would let it wait for the other, which waits for it."""
    (gateway.work / "rows").mkdir()
    for number, text in enumerate(("0,1.5,2\n1,2.5,3\n", "0,1.5,no number\n")):
        (gateway.work / "rows" / f"{number}.csv").write_text(text)
    ended = gateway.submit(
        *("--app-type", "mxnet", "--worker-num", 2, "--ps-num", 1, "--board-enable", "false"),
        *("--files", doc_pages.ROOT / "examples" / "mxnet" / "train.py", "--input", "rows#data"),
        *("--env", "OMP_NUM_THREADS=1", "--", frameworks.python("mxnet"), "train.py"),
    )
    assert ended.code == 2
    assert "First to fail: worker:1 (" in ended.err, ended.err
    assert "could not convert string 'no number'" in ended.err
    gateway.nothing_is_left()
