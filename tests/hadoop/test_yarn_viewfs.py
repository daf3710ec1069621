"""A job on a real YARN for which everything is on a view: the default file system, staging, data, history."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from minihadoop.configuration import VIEW
from places import Place
from submitting import wait_for
from webhdfs import WebHdfs
from yarn_gateway import YarnGateway, part, settled

from xlearning.config import hadoop_xml
from xlearning.fs import split_uri

BLOCK = 32 << 10
LINES = [b"%05d %s" % (n, b"x" * (n % 97)) for n in range(4000)]
WORK = (
    "cat > out/$INDEX; cp $XLEARNING_INPUT_SPLITS_FILE out/$INDEX.splits; cp word out/; "
    "touch $AT/$CONTAINER_ID; until [ -e $AT/go ]; do sleep 0.1; done"
)


@pytest.fixture
def viewing(gateway: YarnGateway, hadoop: MiniHadoop, monkeypatch: pytest.MonkeyPatch) -> YarnGateway:
    """A gateway whose configuration knows HDFS by a view alone."""
    conf = gateway.root / "hadoop-conf"
    shutil.copytree(hadoop.layout.conf, conf)
    values = {**hadoop_xml.read(conf / "core-site.xml").values, "fs.defaultFS": VIEW}
    hadoop_xml.write(conf / "core-site.xml", values)
    gateway.environment |= {"HADOOP_CONF_DIR": str(conf), "YARN_CONF_DIR": str(conf)}
    monkeypatch.setenv("HADOOP_CONF_DIR", str(conf))
    gateway.look_through(VIEW)
    return gateway


@pytest.fixture
def home(viewing: YarnGateway, hadoop: MiniHadoop) -> Iterator[Place]:
    """A folder in the user's home, which is a mount's."""
    place = Place(viewing.storage.resolve(f"view-{uuid.uuid4().hex}"), viewing.storage)
    yield place
    WebHdfs(hadoop.namenode_web).delete(split_uri(place.uri)[2])


def test_two_attempts_a_save_and_verbs(viewing: YarnGateway, home: Place, hadoop: MiniHadoop) -> None:
    web, name = WebHdfs(hadoop.namenode_web), home.uri.rpartition("/")[2]
    web.write(f"{split_uri(home.uri)[2]}/in/a", b"\n".join(LINES), blocksize=BLOCK)
    (viewing.work / "word").write_text("shipped")
    running = viewing.start(
        *("--worker-num", 2, "--input-strategy", "stream", "--conf", "xlearning.input.stream.order=local"),
        *("--input", f"{name}/in", "--output", f"{name}/out#out", "--board-enable", "false"),
        *("--files", "word", "--conf", "xlearning.app.max.attempts=2", "--env", f"AT={viewing.root}"),
        *("--", "bash", "-c", WORK),
    )
    app_id = viewing.submitted(running)
    wait_for(lambda: len([*viewing.root.glob("container_*_01_*")]) == 2, message="it does not run")
    part(app_id, "am").kill()
    wait_for(lambda: len([*viewing.root.glob("container_*_02_*")]) == 2, message="it does not run again")
    told = viewing.verb("save", app_id, "--output", "json")
    assert told.code == 0, told.err
    (saved,) = json.loads(told.out)["save"]["paths"]
    assert saved.startswith(f"{VIEW}/user/")
    (viewing.root / "go").touch()
    ended = running.end()
    assert ended.code == 0, ended.err

    for folder in ("out", f"out/{saved.rpartition('/')[2]}"):
        found = {path.rpartition("/")[2]: home.read(f"{folder}/{path}") for path in home.tree(folder)}
        assert sorted(b"\n".join((found["0"], found["1"])).splitlines()) == sorted([*LINES, b""])
        assert (found["word"], "_SUCCESS" in found) == (b"shipped", True)
    splits = [split for index in "01" for split in json.loads(found[f"{index}.splits"])["splits"]]
    assert {split["uri"] for split in splits} == {home.at("in/a")}
    first = [split["start"] // BLOCK for split in json.loads(found["0.splits"])["splits"]]
    assert first != list(range(first[0], first[0] + len(first)))  # not neighbours, so hosts were known
    settled(viewing, app_id)
    history = Place(f"{viewing.shared}/history/{app_id}", viewing.storage)
    assert "job.json" in history.tree()
    status = json.loads(viewing.verb("status", app_id, "--output", "json").out)
    assert (status["state"], status["source"]) == ("SUCCEEDED", "history")
    assert Path(viewing.root / "go").exists()
