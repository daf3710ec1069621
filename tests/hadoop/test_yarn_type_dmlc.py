"""MXNET and DISTXGBOOST on a real YARN, side by side: scheduler and tracker in containers of their own."""

from __future__ import annotations

import json
from typing import Any

import doc_pages
import frameworks
from places import Place
from yarn_gateway import YarnGateway, settled

from xlearning.fs import FileSystems

EXAMPLES = doc_pages.ROOT / "examples"


def test_workers_train_one_model(hdfs_dir: str, gateway: YarnGateway) -> None:
    place = Place(hdfs_dir, FileSystems("file://"))
    for number in range(2):
        rows = (f"{row % 3},{row % 3 + row % 2},{row % 5}\n" for row in range(number, 300, 2))
        place.write(f"in/{number}.csv", "".join(rows).encode())
    common = ("--worker-num", 2, "--board-enable", "false", "--conf", "xlearning.scheduler.memory=512")
    network = gateway.start(
        *(*common, "--app-type", "mxnet", "--ps-num", 1, "--env", "OMP_NUM_THREADS=1", "--logs=worker:0"),
        *("--input", f"{place.at('in')}#data", "--output", f"{place.at('network')}#model"),
        *("--files", EXAMPLES / "mxnet" / "train.py", "--"),
        *(frameworks.python("mxnet"), "train.py", "--steps", 20),
    )
    trees = gateway.start(
        *(*common, "--app-type", "distxgboost", "--logs=scheduler:0"),
        *("--input", f"{place.at('in')}#data", "--output", f"{place.at('trees')}#model"),
        *("--files", EXAMPLES / "xgboost" / "train.py", "--"),
        *(frameworks.python("boosting"), "train.py", "--rounds", 5),
    )
    for running, words in ((network, "of the 300 rows of 2 workers"), (trees, "for 2 workers")):
        ended = running.end()
        assert ended.code == 0, ended.err
        assert words in ended.err
        settled(gateway, ended.app_id)

    losses = written(place, "network", "weights.npz")["loss"]
    assert losses[-1] < 0.7 < 0.9 < losses[0]
    metrics = written(place, "trees", "model.json")
    assert metrics["workers"] == 2
    assert metrics["loss"][-1] < 0.65 < 0.8 < metrics["loss"][0]


def written(place: Place, output: str, model: str) -> Any:
    """The numbers of a model that one container alone has written, the first worker's."""
    found = sorted(path for path in place.tree(output) if not path.endswith("_SUCCESS"))
    folder = found[0].rpartition("/")[0]
    assert found == sorted([f"{folder}/metrics.json", f"{folder}/{model}"])
    return json.loads(place.read(f"{output}/{folder}/metrics.json"))
