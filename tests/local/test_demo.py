"""The demonstration job: what it learns, and that every worker took part."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from submitting import Gateway

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ps_numpy"
STEPS = 30


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    yield
    for name in ("reference", "train", "make_data"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize("strategy", ["placeholder", "download"])
def test_the_weights_equal_a_serial_run(strategy: str, gateway: Gateway) -> None:
    import reference

    data, out = gateway.work / "data", gateway.work / "out"
    subprocess.run([sys.executable, str(EXAMPLE / "make_data.py"), str(data)], check=True)
    ended = gateway.submit(
        *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 2),
        *("--input-strategy", strategy, "--input", "data#data", "--output", "out#model"),
        *("--files", EXAMPLE / "train.py", "--", sys.executable, "train.py", "--steps", STEPS),
    )
    assert ended.code == 0, ended.err
    (weights,) = out.glob("*/weights.npz")
    with np.load(weights) as trained:
        expected = reference.train_serial(sorted(map(str, data.iterdir())), STEPS)
        np.testing.assert_allclose(trained["weights"], expected, rtol=0, atol=1e-9)
    (metrics,) = out.glob("*/metrics.json")
    updates = json.loads(metrics.read_text())["updates"]
    assert updates == {"worker-0": STEPS, "worker-1": STEPS}
    (server,) = out.glob("*/updates.json")
    assert server.parent != weights.parent, "the parameter server's own output is kept too"
    gateway.nothing_is_left()


@pytest.mark.usefixtures("example")
def test_tensorboard_is_up_while_the_job_runs(gateway: Gateway) -> None:
    from urllib.request import urlopen

    data = gateway.work / "data"
    subprocess.run([sys.executable, str(EXAMPLE / "make_data.py"), str(data)], check=True)
    running = gateway.start(
        *("--input-strategy", "placeholder", "--input", "data#data", "--output", "out#model"),
        *("--files", EXAMPLE / "train.py", "--"),
        *(sys.executable, "train.py", "--steps", 2000, "--delay", "0.1"),
    )
    running.said("TensorBoard: http://", 90)
    url = running.err.split("TensorBoard: ")[1].split()[0]
    with urlopen(f"{url}data/runs", timeout=30) as answer:
        assert isinstance(json.load(answer), list)
    running.process.terminate()
    assert running.end().code == 2
    gateway.nothing_is_left()
