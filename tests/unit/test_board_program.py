"""Which board is started, and the exact words."""

import dataclasses
import sys
from pathlib import Path

import pytest

from xlearning.config import Config
from xlearning.container import board_program
from xlearning.container.board_program import BoardPlace
from xlearning.errors import XLearningError
from xlearning.job import VISUALDL, BoardSpec

TENSORBOARD = BoardSpec(True, 0, "eventLog", 3)
OTHER = BoardSpec(True, 0, "eventLog", 3, program=VISUALDL)


@pytest.fixture
def place(tmp_path: Path) -> BoardPlace:
    return BoardPlace(tmp_path, tmp_path / "logs", "node1", {"PATH": str(tmp_path / "bin")}, "/ours")


def program(place: BoardPlace, name: str) -> str:
    path = place.work / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.touch(mode=0o755)
    return str(path)


def config(**values: str) -> Config:
    return Config.from_properties({f"xlearning.{name.replace('_', '.')}": v for name, v in values.items()})


def test_the_one_beside_the_python_of_the_command(place: BoardPlace) -> None:
    folder = place.work / "env" / "bin"
    folder.mkdir(parents=True)
    (folder / "python3").touch()
    beside = dataclasses.replace(place, program="env/bin/python3")
    assert board_program.find(TENSORBOARD, beside, config())[0][0] == sys.executable
    (folder / "tensorboard").touch()
    words, environment, work = board_program.find(TENSORBOARD, beside, config())
    assert words == [str(folder / "python3"), "-m", "tensorboard.main"]
    assert (environment, work) == (place.environment, place.log_dir)
    program = dataclasses.replace(place, program="env/bin/train")
    assert board_program.find(TENSORBOARD, program, config())[0][0] == sys.executable


def test_words_for_tensorboard(place: BoardPlace) -> None:
    own = program(place, "tensorboard")
    assert board_program.find(TENSORBOARD, place, config()) == ([own], place.environment, place.work)
    words = board_program.arguments(TENSORBOARD, place, config(), own, 6006)
    logs = f"--logdir={place.work}/eventLog"
    assert words == [logs, "--host=node1", "--port=6006", "--reload_interval=3"]
    far = BoardSpec(True, 0, "hdfs://nn:9000/logs", 3)
    assert board_program.arguments(far, place, config(), own, 1)[0] == "--logdir=hdfs://nn:9000/logs"
    assert board_program.page(TENSORBOARD, place, own) == ""


def test_the_way_to_hdfs_is_all_that_tensorboard_gets_of_ours(place: BoardPlace) -> None:
    program(place, "tensorboard")
    far = BoardSpec(True, 0, "hdfs://nn:9000/logs", 3)
    for _ in range(2):  # a second start in the same folder
        _, environment, _ = board_program.find(far, place, config())
    links = Path(environment["PYTHONPATH"])
    names = {path.name.partition("-")[0] for path in links.iterdir()}
    assert (names, links.parent) == ({"fsspec", "hdfs_native"}, place.work)
    assert any(path.name.endswith(".dist-info") for path in links.iterdir())


def test_our_tensorboard_where_there_is_none(place: BoardPlace) -> None:
    words, environment, folder = board_program.find(TENSORBOARD, place, config())
    assert (words[1:], folder) == (["-m", "tensorboard.main"], place.log_dir)
    assert environment["PYTHONPATH"] == "/ours"
    with pytest.raises(XLearningError, match="'nothing' was not found"):
        board_program.find(TENSORBOARD, place, config(tf_board_path="nothing"))


def test_words_for_both_versions_of_visualdl(place: BoardPlace) -> None:
    values = config(board_modelpb="m.onnx", board_cache_timeout="7")
    new = program(place, "visualdl")
    assert board_program.find(OTHER, place, values)[0] == [new]
    words = board_program.arguments(OTHER, place, values, new, 8080)
    logs = f"--logdir={place.work}/eventLog"
    assert words == [logs, "--host=node1", "--port=8080", "--cache-timeout=7", "--model=m.onnx"]
    assert board_program.page(OTHER, place, new) == "app/index.html"
    below = dataclasses.replace(place, base="/proxy/application_1/pages/job/tb")
    assert board_program.arguments(OTHER, below, values, new, 8080)[3] == f"--public-path={below.base}"
    assert board_program.page(OTHER, below, new) == "proxy/application_1/pages/job/tb/index.html"
    old = program(place, "visualDL")
    assert board_program.find(OTHER, place, values)[0] == [old]
    words = board_program.arguments(OTHER, place, values, old, 8080)
    assert words == [logs, "--host=node1", "--port=8080", "--cache_timeout=7", "--model_pb=m.onnx"]
    assert board_program.arguments(OTHER, below, values, old, 8080) == words
    assert board_program.page(OTHER, below, old) == ""
    with pytest.raises(XLearningError, match="VisualDL into"):
        board_program.find(OTHER, place, config(board_path="./dl"))
