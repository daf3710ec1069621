"""MXNET on a real YARN: scheduler, server and workers in containers of their own."""

from __future__ import annotations

import json

import doc_pages
import frameworks
from places import Place
from yarn_gateway import YarnGateway

EXAMPLE = doc_pages.ROOT / "examples" / "mxnet"


def test_a_server_and_two_workers_train_one_network(place: Place, gateway: YarnGateway) -> None:
    python = frameworks.python("mxnet")
    for number in range(2):
        rows = (f"{row % 3},{row % 3 + row % 2},{row % 5}\n" for row in range(number, 300, 2))
        place.write(f"in/{number}.csv", "".join(rows).encode())
    ended = gateway.submit(
        *("--app-type", "mxnet", "--worker-num", 2, "--ps-num", 1, "--board-enable", "false"),
        *("--conf", "xlearning.scheduler.memory=512", "--env", "OMP_NUM_THREADS=1", "--logs=worker:0"),
        *("--input", f"{place.at('in')}#data", "--output", f"{place.at('out')}#model"),
        *("--files", EXAMPLE / "train.py", "--", python, "train.py", "--steps", 20),
    )
    assert ended.code == 0, ended.err
    assert "of the 300 rows of 2 workers" in ended.err
    (name,) = [name for name in place.tree("out") if name.endswith("metrics.json")]
    losses = json.loads(place.read(f"out/{name}"))["loss"]
    assert losses[-1] < 0.7 < 0.9 < losses[0]
    gateway.nothing_is_left_of(ended.app_id)
