"""DISTLIGHTGBM, LIGHTLDA and independent workers on a real YARN, side by side."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import frameworks
from places import Place
from yarn_gateway import YarnGateway

from xlearning.fs import FileSystems

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def make_data(place: Place, example: str, folder: Path) -> None:
    subprocess.run([sys.executable, EXAMPLES / example / "make_data.py", folder], check=True)
    for file in folder.iterdir():
        place.write(f"{example}/{file.name}", file.read_bytes())


def test_all_of_them(hdfs_dir: str, gateway: YarnGateway, tmp_path: Path) -> None:
    place = Place(hdfs_dir, FileSystems("file://"))
    make_data(place, "lightgbm", tmp_path / "rings")
    make_data(place, "lightlda", tmp_path / "documents")
    make_data(place, "sklearn", tmp_path / "rows")
    common = ("--board-enable", "false", "--worker-num", 2)
    boosting = gateway.start(
        *(*common, "--app-type", "DISTLIGHTGBM", "--files", EXAMPLES / "lightgbm" / "train.py"),
        *("--input", f"{place.at('lightgbm')}#data", "--output", f"{place.at('rings')}#model"),
        *("--", frameworks.python("boosting"), "train.py"),
    )
    topics = gateway.start(
        *(*common, "--app-type", "LIGHTLDA", "--ps-num", 1, "--files", EXAMPLES / "lightlda" / "lda.py"),
        *("--input", f"{place.at('lightlda')}#data", "--output", f"{place.at('topics')}#model"),
        *("--", sys.executable, "lda.py"),
    )
    votes = gateway.start(
        *(*common, "--app-type", "SKLEARN", "--files", EXAMPLES / "sklearn" / "train.py"),
        *("--input", f"{place.at('sklearn')}#data", "--output", f"{place.at('votes')}#model"),
        *("--", frameworks.python("boosting"), "train.py"),
    )
    for ended in [running.end() for running in (boosting, topics, votes)]:
        assert ended.code == 0, ended.err
        gateway.nothing_is_left_of(ended.app_id)
    names = place.tree("rings")
    models = [place.read(f"rings/{name}") for name in names if name.endswith("model.txt")]
    trees = {model.partition(b"end of trees")[0] for model in models}
    assert len(models) == 2
    assert len(trees) == 1
    reports = [json.loads(place.read(f"rings/{name}")) for name in names if name.endswith("report.json")]
    assert all(report["machines"] == 2 and report["last"] < 0.3 * report["first"] for report in reports)
    (part,) = [name for name in place.tree("topics") if name.endswith("server-0.json")]
    assert sum(map(sum, json.loads(place.read(f"topics/{part}")).values())) == 2400
    scores = [place.read(f"votes/{name}") for name in place.tree("votes") if name.endswith(".json")]
    assert sorted(json.loads(score)["rows"] for score in scores) == [300, 600]
    assert all(json.loads(score)["score"] > 0.7 for score in scores)
