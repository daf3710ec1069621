"""The example program on its own: real processes, variables made by hand."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ps_numpy"
STEPS = 40


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"ps_numpy_{name}", EXAMPLE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_data, train_serial = load("make_data").make_data, load("reference").train_serial


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    paths: list[Path] = make_data(tmp_path_factory.mktemp("with space, % and é"))
    return paths


@pytest.fixture
def ps_address() -> Iterator[str]:
    """A port held bound but not listening, as the agent does it."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        holder.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{holder.getsockname()[1]}"


@contextlib.contextmanager
def running(folder: Path, env: dict[str, str], *arguments: str) -> Iterator[subprocess.Popen[str]]:
    folder.mkdir(parents=True, exist_ok=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("TF_", "INPUT_"))}
    process = subprocess.Popen(
        [sys.executable, str(EXAMPLE / "train.py"), "--steps", str(STEPS), *arguments],
        cwd=folder,
        env={**inherited, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out, err


def weights(path: Path) -> np.ndarray:
    with np.load(path) as arrays:
        return np.array(arrays["weights"])


def listed(files: list[Path]) -> str:
    return json.dumps({"data": [f"file://{path}" for path in files]})


def test_data_are_always_the_same(tmp_path: Path, data: list[Path]) -> None:
    again = make_data(tmp_path)
    assert [path.name for path in again] == [f"part-0000{number}.csv" for number in range(4)]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in data]
    assert sum(len(path.read_text().splitlines()) for path in again) == 2000


def test_one_server_and_two_workers_equal_the_serial_run(
    tmp_path: Path, data: list[Path], ps_address: str
) -> None:
    cluster = json.dumps({"worker": ["127.0.0.1:1", "127.0.0.1:2"], "ps": [ps_address]})

    def env(role: str, index: int) -> dict[str, str]:
        return {"TF_CLUSTER_DEF": cluster, "TF_ROLE": role, "TF_INDEX": str(index)}

    lists = [listed([data[0], data[2], data[3]]), listed([data[1]])]
    (tmp_path / "w1").mkdir()
    (tmp_path / "w1" / "inputFileList.txt").write_text(lists[1])
    with (
        running(tmp_path / "w1", env("worker", 1)) as second,
        running(tmp_path / "w0", env("worker", 0) | {"INPUT_FILE_LIST": lists[0]}) as first,
        running(tmp_path / "ps", env("ps", 0)) as server,
    ):
        out, err = finish(first)
        finish(second)
        assert server.poll() is None, "the server must run until it is stopped"
        server.terminate()
        server.communicate(timeout=30)

    expected = train_serial(data, STEPS)
    np.testing.assert_allclose(weights(tmp_path / "w0/model/weights.npz"), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(
        weights(tmp_path / "ps/model/parameters.npz"), weights(tmp_path / "w0/model/weights.npz")
    )
    metrics = json.loads((tmp_path / "w0/model/metrics.json").read_text())
    assert metrics == json.loads((tmp_path / "ps/model/updates.json").read_text())
    assert metrics["updates"] == {"worker-0": STEPS, "worker-1": STEPS}
    assert metrics["step"] == STEPS and metrics["accuracy"] > 0.8
    assert "worker 0: 1500 rows in 3 files" in out and f"step {STEPS}/{STEPS}" in out
    assert err.splitlines()[-1] == "reporter progress:1.00"
    assert not (tmp_path / "w1/model").exists() and not (tmp_path / "w1/eventLog").exists()
    assert scalars(tmp_path / "w0/eventLog") == {"loss": STEPS, "accuracy": STEPS}


def scalars(folder: Path) -> dict[str, int]:
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    counts: dict[str, int] = {}
    (file,) = folder.iterdir()
    for event in EventFileLoader(str(file)).Load():
        for value in event.summary.value:
            counts[value.tag] = counts.get(value.tag, 0) + 1
    return counts


def test_alone_with_downloaded_files(tmp_path: Path, data: list[Path]) -> None:
    (tmp_path / "data").mkdir()
    for path in data[:2]:
        (tmp_path / "data" / path.name).write_bytes(path.read_bytes())
    with running(tmp_path, {}) as process:
        finish(process)
    np.testing.assert_allclose(
        weights(tmp_path / "model/weights.npz"), train_serial(data[:2], STEPS), rtol=1e-9, atol=1e-12
    )


def test_a_worker_without_files_takes_part(tmp_path: Path, data: list[Path], ps_address: str) -> None:
    variables = {"TF_CLUSTER_DEF": json.dumps({"worker": ["h:1", "h:2"], "ps": [ps_address]})}
    with (
        running(tmp_path / "ps", variables | {"TF_ROLE": "ps"}),
        running(tmp_path / "w0", variables | {"INPUT_FILE_LIST": listed([])}) as idle,
        running(tmp_path / "w1", variables | {"INPUT_FILE_LIST": listed(data), "TF_INDEX": "1"}) as busy,
    ):
        finish(idle)
        finish(busy)
    np.testing.assert_allclose(
        weights(tmp_path / "w0/model/weights.npz"), train_serial(data, STEPS), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(
    ("cluster", "role", "message"),
    [
        ({"worker": ["h:1", "h:2"]}, "worker", "needs exactly one parameter server; the cluster has 0"),
        ({"worker": ["h:1"], "ps": ["h:2"]}, "evaluator", "the roles ps and worker, not 'evaluator'"),
    ],
)
def test_wrong_clusters(tmp_path: Path, cluster: dict[str, list[str]], role: str, message: str) -> None:
    with running(tmp_path, {"TF_CLUSTER_DEF": json.dumps(cluster), "TF_ROLE": role}) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert message in err and "Traceback" not in err


def test_lost_server_is_told(tmp_path: Path, data: list[Path]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        cluster = {"worker": ["h:1"], "ps": [f"127.0.0.1:{listener.getsockname()[1]}"]}
        env = {"TF_CLUSTER_DEF": json.dumps(cluster), "INPUT_FILE_LIST": listed(data)}
        with running(tmp_path, env) as process:
            listener.settimeout(60)
            listener.accept()[0].close()
            _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "lost the parameter server at 127.0.0.1:" in err and "Traceback" not in err
