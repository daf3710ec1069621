"""PYTORCH and DISTTORCH with the real torch, in an environment of its own."""

from __future__ import annotations

import json
import re
import runpy
import signal
from pathlib import Path

import doc_pages
import frameworks
import psutil
import pytest
from submitting import PROGRAMS, Gateway, wait_for

pytestmark = pytest.mark.timeout(900)  # the first who asks for torch builds its environment
SUM = PROGRAMS / "torch_sum.py"
EXAMPLES = doc_pages.ROOT / "examples"


@pytest.fixture(scope="module")
def python() -> Path:
    return frameworks.python("torch")


def test_the_example_trains_what_one_process_trains(gateway: Gateway, python: Path) -> None:
    doc_pages.run(EXAMPLES / "pytorch" / "README.md", gateway, python.parent)
    (checkpoint,) = (gateway.work / "clouds-torch").glob("container_*/checkpoint.pt")
    losses = json.loads(checkpoint.with_name("losses.json").read_text())
    alone = json.loads((gateway.work / "alone" / "losses.json").read_text())
    assert losses == pytest.approx(alone, rel=1e-9)
    assert losses[-1] < 0.4 < 1.0 < losses[0]
    gateway.nothing_is_left()


_RANKS = """echo '{"rank": '$RANK', "size": '$WORLD_SIZE'}' > out/c10d-$RANK.json"""


def test_torchrun_and_programs_of_hbox(gateway: Gateway, python: Path) -> None:
    torchrun, out = python.with_name("torchrun"), gateway.work / "out"
    options = "--rdzv-backend=c10d --rdzv-endpoint=$MASTER_ADDR:$MASTER_PORT --nnodes=$WORLD_SIZE"
    (gateway.work / "ranks.sh").write_text(_RANKS)
    ended = gateway.submit(
        *("--app-type", "DISTTORCH", "--worker-num", 2, "--files", f"{SUM},ranks.sh"),
        *("--board-enable", "false", "--output", f"{out}#out", "--", "bash", "-ec"),
        f"{torchrun} {options} --no-python bash ranks.sh; {torchrun} torch_sum.py out/plain env; "
        f"{python} torch_sum.py out/hbox hbox",
    )
    assert ended.code == 0, ended.err
    met = [json.loads(path.read_text()) for path in out.glob("*/c10d-*.json")]
    assert sorted((one["rank"], one["size"]) for one in met) == [(0, 2), (1, 2)]
    for way in ("plain", "hbox"):
        written = sorted(out.glob(f"*/{way}/*.json"), key=lambda path: path.name)
        records = [json.loads(path.read_text()) for path in written]
        assert [(one["rank"], one["size"], one["sum"]) for one in records] == [(0, 2, 3.0), (1, 2, 3.0)]
        assert [one["env"]["INDEX"] for one in records] == ["0", "1"]
    assert [one["env"]["LOCAL_RANK"] for one in records] == ["0", "1"]
    assert {one["env"]["GLOO_SOCKET_IFNAME"] for one in records} == {"lo"}
    gateway.nothing_is_left()


def test_a_rank_that_dies_ends_the_others_that_wait_for_it(gateway: Gateway) -> None:
    """The other waits for ever, as torch does."""
    ended = gateway.submit(
        *("--app-type", "DISTTORCH", "--worker-num", 2, "--board-enable", "false", "--", "bash", "-c"),
        'test "$RANK" = 0 && exec sleep 600; echo "no space left on device" >&2; exit 3',
    )
    assert ended.code == 2
    assert "worker:1" in ended.err
    assert "no space left on device" in ended.err
    gateway.nothing_is_left()


def test_a_rank_that_is_killed_in_the_middle_of_the_training(gateway: Gateway, python: Path) -> None:
    """The other is stopped in the middle of a step, and so never hears of it: it is ended all the same."""
    _make_data(gateway)
    running = gateway.start(
        *("--app-type", "disttorch", "--worker-num", 2, "--board-enable", "false", "--input", "clouds#data"),
        *("--files", EXAMPLES / "pytorch" / "train.py", "--output", "out#model", "--"),
        *(python, "train.py", "--steps", 1_000_000, "--save-every", 1),
    )
    wait_for(lambda: list(gateway.root.glob("local/**/model/checkpoint.pt")), 120, "no step was done")
    ranks = {rank: process for process in gateway.processes() if (rank := _rank(process))}
    ranks["0"].send_signal(signal.SIGSTOP)
    ranks["1"].send_signal(signal.SIGKILL)
    ended = running.end()
    assert ended.code == 2, ended.err
    assert "First to fail: worker:1 (" in ended.err, ended.err
    assert "killed (SIGKILL)" in ended.err, ended.err
    assert not (gateway.work / "out").exists()
    gateway.nothing_is_left()


def test_pytorch_trains_a_model_per_worker(gateway: Gateway, python: Path) -> None:
    """Two learn from their own files alone; the death of the third is less than half of them."""
    _make_data(gateway)
    ended = gateway.submit(
        *("--app-type", "PyTorch", "--worker-num", 3, "--board-enable", "false", "--input", "clouds#data"),
        *("--files", EXAMPLES / "pytorch" / "train.py", "--output", "out#model", "--", "bash", "-c"),
        f'test "$INDEX" = 2 && kill -9 $$; exec {python} train.py',
    )
    assert ended.code == 0, ended.err
    assert "1 of its containers failed" in ended.err
    assert re.search(r"worker:2 .*killed \(SIGKILL\)", ended.err), ended.err
    found = sorted((gateway.work / "out").glob("container_*/losses.json"))
    losses = [json.loads(path.read_text()) for path in found]
    assert len(losses) == 2
    assert all(each[-1] < 0.5 < 1.0 < each[0] for each in losses), losses
    assert losses[0] != losses[1]
    gateway.nothing_is_left()


def _make_data(gateway: Gateway) -> None:
    runpy.run_path(str(EXAMPLES / "ps_numpy" / "make_data.py"))["make_data"](gateway.work / "clouds")


def _rank(process: psutil.Process) -> str:
    """Which rank of the example a process is; nothing for all others."""
    try:
        return process.environ().get("RANK", "") if "train.py" in process.cmdline() else ""
    except psutil.Error:
        return ""
