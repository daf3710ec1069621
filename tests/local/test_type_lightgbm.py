"""DISTLIGHTGBM with the real LightGBM: workers that hold different rows learn one model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import doc_pages
import frameworks
from submitting import Gateway

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "lightgbm"


def make_data(folder: Path) -> Path:
    subprocess.run([sys.executable, str(EXAMPLE / "make_data.py"), str(folder)], check=True)
    return folder


def learned(folder: Path) -> list[str]:
    """A model without what differs from machine to machine."""
    lines = (folder / "model.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("[local_listen_port")]


def order(data: object, output: object, *command: object) -> tuple[object, ...]:
    return (
        *("--app-type", "distlightgbm", "--worker-num", 2, "--files", EXAMPLE / "train.py"),
        *("--input", f"{data}#data", "--output", f"{output}#model", "--", *command),
    )


def test_workers_learn_one_model(gateway: Gateway, tmp_path: Path) -> None:
    python = frameworks.python("boosting")
    doc_pages.run(EXAMPLE / "README.md", gateway, python.parent)
    first, second = sorted((gateway.work / "rings-model").glob("container_*"))
    assert learned(first) == learned(second)
    reports = [json.loads((one / "report.json").read_text()) for one in (first, second)]
    assert [report["machines"] for report in reports] == [2, 2]
    assert sum(report["rows"] for report in reports) == 2000

    (tmp_path / "data").symlink_to(gateway.work / "rings")
    subprocess.run([python, EXAMPLE / "train.py"], cwd=tmp_path, check=True, capture_output=True)
    single = json.loads((tmp_path / "model" / "report.json").read_text())
    assert single["rows"] == 2000
    for report in reports:
        assert report["last"] < 0.3 * report["first"]
        assert abs(report["last"] - single["last"]) < 0.03
    gateway.nothing_is_left()


def test_a_worker_that_dies_ends_the_job(gateway: Gateway, tmp_path: Path) -> None:
    python = frameworks.python("boosting")
    dies = (
        'import os, runpy; os.environ["INDEX"] == "1" and exit("my disk is gone"); '
        'runpy.run_path("train.py", run_name="__main__")'
    )
    data = make_data(tmp_path / "rings")
    ended = gateway.submit(*order(data, tmp_path / "out", python, "-c", dies))
    assert ended.code == 2
    assert "worker:1" in ended.err
    assert "my disk is gone" in ended.err
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    gateway.nothing_is_left()
