"""DISTXGBOOST on a real YARN: the tracker in a container of its own, the data on HDFS."""

from __future__ import annotations

import json

import doc_pages
import frameworks
from places import Place
from yarn_gateway import YarnGateway

EXAMPLE = doc_pages.ROOT / "examples" / "xgboost"


def test_two_workers_train_one_model(place: Place, gateway: YarnGateway) -> None:
    python = frameworks.python("boosting")
    for number in range(2):
        rows = (f"{row % 3},{row % 3 + row % 2},{row % 5}\n" for row in range(number, 300, 2))
        place.write(f"in/{number}.csv", "".join(rows).encode())
    ended = gateway.submit(
        *("--app-type", "distxgboost", "--worker-num", 2, "--board-enable", "false"),
        *("--conf", "xlearning.scheduler.memory=512", "--logs=scheduler:0"),
        *("--input", f"{place.at('in')}#data", "--output", f"{place.at('out')}#model"),
        *("--files", EXAMPLE / "train.py", "--", python, "train.py", "--rounds", 5),
    )
    assert ended.code == 0, ended.err
    assert "for 2 workers" in ended.err
    (name,) = [name for name in place.tree("out") if name.endswith("metrics.json")]
    metrics = json.loads(place.read(f"out/{name}"))
    assert metrics["workers"] == 2
    assert metrics["loss"][-1] < 0.65 < 0.8 < metrics["loss"][0]
    models = [name for name in place.tree("out") if name.endswith("model.json")]
    assert models == [name.replace("metrics", "model")]
    gateway.nothing_is_left_of(ended.app_id)
