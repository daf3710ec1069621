"""Independent workers with the real scikit-learn, and what the failure rate makes of those that fail."""

from __future__ import annotations

import json

import doc_pages
import frameworks
import pytest
from submitting import Gateway

EXAMPLE = doc_pages.ROOT / "examples" / "sklearn"


def test_each_worker_trains_a_model_of_its_own(gateway: Gateway) -> None:
    doc_pages.run(EXAMPLE / "README.md", gateway, frameworks.python("boosting").parent)
    published = sorted((gateway.work / "votes").glob("container_*/score-*.json"))
    assert [path.name for path in published] == ["score-0.json", "score-1.json", "score-2.json"]
    scores = [json.loads(path.read_text()) for path in published]
    assert [score["rows"] for score in scores] == [300, 300, 300]
    assert all(score["score"] > 0.7 for score in scores)  # guessing tells a third right
    gateway.nothing_is_left()


@pytest.mark.parametrize(("failing", "code"), [("1", 0), ("[01]", 2)])
def test_the_others_go_on(gateway: Gateway, failing: str, code: int) -> None:
    words = (
        f'[[ $INDEX == {failing} ]] && {{ echo "bad rows"; exit 3; }}; mkdir model; echo $INDEX > model/mine'
    )
    output = gateway.work / "out"
    ended = gateway.submit(
        *("--app-type", "KERAS", "--worker-num", 3, "--output", f"{output}#model", "--", "bash", "-c", words)
    )
    assert ended.code == code, ended.err
    assert "worker:1" in ended.err
    assert (output / "_SUCCESS").exists() is (code == 0)
    if code == 0:
        assert sorted(path.read_text() for path in output.glob("*/mine")) == ["0\n", "2\n"]
    gateway.nothing_is_left()
