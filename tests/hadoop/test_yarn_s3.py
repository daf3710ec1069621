"""A job on a real YARN with its data on S3 and on an HDFS that Hadoop's own client reads."""

from __future__ import annotations

import io
import json
import re
import urllib.request
import uuid
from pathlib import Path

import libhdfs_build
import pyarrow as pa
import pyarrow.orc
import pytest
from minihadoop import MiniHadoop
from places import Place
from record_files import RecordFile
from s3_server import ACCESS, SECRET, S3Server
from yarn_gateway import YarnGateway, processes_of

from xlearning.config import Config
from xlearning.fs import FileSystems

ROWS = [{"number": number, "text": "x" * (number % 50)} for number in range(4000)]
WORK = 'cp /dev/stdin "$NAME"; until [ -e "$GO" ]; do sleep 0.1; done; cat "$NAME"; pwd >&2'


@pytest.fixture
def nodes(hadoop: MiniHadoop, gateway: YarnGateway, s3: S3Server, tmp_path: Path) -> YarnGateway:
    """In front of nodes with a HADOOP_HOME that holds libhdfs; its user has the keys of the service."""
    library = libhdfs_build.built(gateway.environ()["JAVA_HOME"])
    (tmp_path / "home" / "lib").mkdir(parents=True)
    (tmp_path / "home" / "bin").symlink_to(hadoop.layout.bin)
    (tmp_path / "home" / "lib" / "native").symlink_to(library)
    home = {"HADOOP_HOME": str(tmp_path / "home")}
    gateway.environment |= home
    gateway.nodes_have({**home, "LIBHDFS_OPTS": "-Xmx128m -Xrs -XX:TieredStopAtLevel=1"})
    gateway.properties |= {
        "xlearning.s3.cluster": s3.endpoint,
        "xlearning.s3.key.access": ACCESS,
        "xlearning.s3.key.secret": SECRET,
        "xlearning.s3.region": "us-east-1",
        "xlearning.fs.hdfs.client": "libhdfs",
    }
    return gateway


def table(rows: list[dict[str, object]]) -> bytes:
    sink = io.BytesIO()
    pyarrow.orc.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


def test_orc_of_hdfs_and_s3_as_lz4_to_s3(
    nodes: YarnGateway, s3: S3Server, place: Place, hadoop: MiniHadoop, tmp_path: Path
) -> None:
    bucket = s3.bucket(f"yarn-{uuid.uuid4().hex[:8]}")
    objects = Place(bucket, FileSystems(config=Config.from_properties(nodes.properties)))
    place.write("in/a", table(ROWS[:2000]))
    objects.write("in/b", table(ROWS[2000:]))
    go = tmp_path / "go"
    running = nodes.start(
        *("--worker-num", 1, "--worker-memory", 1024, "--input-strategy", "stream", "--inputformat", "orc"),
        *("--input", f"{place.at('in')}#hdfs", "--input", f"{objects.at('in')}#s3"),
        *("--output-strategy", "stream", "--output", objects.at("out"), "--board-enable", "false"),
        *("--conf", "xlearning.outputformat.codec=lz4", "--env", f"GO={go}", "--env", "NAME=held"),
        *("--", "bash", "-c", WORK),
    )
    app_id = nodes.submitted(running)
    running.said("1 running")
    running.said("Page: ")
    (page,) = re.findall(r"Page: (\S+)", running.err)
    told = on_the_page(page, app_id)
    processes = processes_of(app_id)
    assert any("libhdfs.so" in mapped.path for process in processes for mapped in process.memory_maps())
    told += [" ".join(process.cmdline()) for process in processes]
    only_the_user_may_read_it(nodes, app_id)
    for folder in ("logs", "local/nmPrivate", "local/usercache/*/appcache"):
        assert holding_secret([*hadoop.layout.data.glob(f"nodemanager*/{folder}/{app_id}")]) == []
    go.touch()
    ended = running.end()
    assert ended.code == 0, ended.err
    wanted = "Libraries for the nodes: cramjam, pyarrow, s3fs"
    assert wanted in ended.err

    assert objects.tree("out").keys() == {"_SUCCESS", "part-r-00000.lz4"}
    (tmp_path / "part.lz4").write_bytes(objects.read("out/part-r-00000.lz4"))
    lines = RecordFile("text", tmp_path / "part.lz4").values()
    assert [json.loads(line) for line in lines] == ROWS
    assert objects.tree().keys() == {"in/b", "out/_SUCCESS", "out/part-r-00000.lz4"}
    told += [nodes.verb(verb, app_id).out for verb in ("logs", "status", "describe")]
    history = Place(f"{nodes.shared}/history/{app_id}", FileSystems(hadoop.hdfs_uri))
    files = [history.read(name).decode() for name in history.tree()]
    assert files and all(told)
    assert [text for text in (*told, *files, ended.err, ended.out) if SECRET in text] == []
    nodes.nothing_is_left_of(app_id)


def on_the_page(page: str, app_id: str) -> list[str]:
    """What browsers and programs get of the running job, logs among it."""
    job, listed = (json.loads(read(f"{page}api/v1/{part}")) for part in ("job", "containers"))
    assert job["app_id"] == app_id
    said = [read(page), json.dumps(job), json.dumps(listed)]
    for container in listed["containers"]:
        address = f"{page}api/v1/logs?c={container['id']}"
        names = json.loads(read(address))["files"]
        assert names
        said += [read(f"{address}&f={name}&limit=1000000") for name in names]
    return said


def only_the_user_may_read_it(nodes: YarnGateway, app_id: str) -> None:
    """The job's folder is closed to others; what skein keeps of the job does not know the secret."""
    staging, fs = f"{nodes.shared}/staging/{app_id}", nodes.storage.default
    status = fs.stat(staging)
    assert status.mode & 0o77 == 0
    kept = Place(nodes.storage.resolve(f".skein/{app_id}"), nodes.storage)
    assert kept.tree()
    assert [name for name in kept.tree() if SECRET.encode() in kept.read(name)] == []


def read(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as reply:
        text: str = reply.read().decode()
        return text


def holding_secret(folders: list[Path]) -> list[Path]:
    assert folders
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return [path for path in files if SECRET.encode() in path.read_bytes()]
