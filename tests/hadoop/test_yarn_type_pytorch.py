"""DISTTORCH on a real YARN: two containers train the example's model with the real torch."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.parse
from pathlib import Path

import frameworks
import pytest
from places import Place
from yarn_gateway import YarnGateway

from xlearning.fs import FileSystems

pytestmark = pytest.mark.timeout(900)  # the first who asks for torch builds its environment
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def python() -> Path:
    return frameworks.python("torch")


def test_two_ranks_train_one_model(hdfs_dir: str, gateway: YarnGateway, tmp_path: Path, python: Path) -> None:
    place = Place(hdfs_dir, FileSystems("file://"))
    make_data = [sys.executable, EXAMPLES / "ps_numpy" / "make_data.py", tmp_path]
    subprocess.run(make_data, check=True, stdout=subprocess.DEVNULL)
    for path in tmp_path.glob("part-*"):
        place.write(f"clouds/{path.name}", path.read_bytes())
    ended = gateway.submit(
        *("--app-type", "disttorch", "--worker-num", 2, "--worker-memory", "1g", "--board-enable", "false"),
        *("--files", EXAMPLES / "pytorch" / "train.py", "--input", f"{place.at('clouds')}#data"),
        *("--output", f"{place.at('out')}#model", "--", "bash", "-c"),
        f"env -0 > model/env.$RANK; exec {python} train.py",
    )
    assert ended.code == 0, ended.err
    files = {name.partition("/")[2]: name for name in place.tree("out") if name != "_SUCCESS"}
    assert set(files) == {"env.0", "env.1", "checkpoint.pt", "losses.json"}
    assert Path(files["checkpoint.pt"]).parent == Path(files["env.0"]).parent
    losses = json.loads(place.read(f"out/{files['losses.json']}"))
    assert losses[-1] < 0.4 < 1.0 < losses[0]
    seen = [_variables(place.read(f"out/{files[f'env.{rank}']}")) for rank in (0, 1)]
    assert [env["LOCAL_RANK"] for env in seen] == ["0", "1"]
    for name, value in (("WORLD_SIZE", "2"), ("LOCAL_WORLD_SIZE", "2"), ("GROUP_RANK", "0")):
        assert [env[name] for env in seen] == [value, value]
    assert seen[0]["MASTER_PORT"] == seen[1]["MASTER_PORT"] == seen[0]["master_port"]
    url = urllib.parse.urlsplit(seen[0]["INIT_METHOD"])
    assert (url.hostname, str(url.port)) == (seen[0]["master_addr"], seen[0]["MASTER_PORT"])
    assert url.hostname in {info[4][0] for info in socket.getaddrinfo(seen[0]["MASTER_ADDR"], None)}
    assert all(env["GLOO_SOCKET_IFNAME"] for env in seen)
    gateway.nothing_is_left_of(ended.app_id)


def _variables(listed: bytes) -> dict[str, str]:
    pairs = [line.decode().partition("=") for line in listed.split(b"\0") if line]
    return {name: value for name, _, value in pairs}
