"""Formats of the user's own on a real YARN: planned by the AM, read and written by the agents."""

from __future__ import annotations

from pathlib import Path

from minihadoop import MiniHadoop
from places import Place
from yarn_gateway import YarnGateway

from xlearning.fs import FileSystems

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "csv_format" / "csv_format.py"


def test_both_ways(hadoop: MiniHadoop, hdfs_dir: str, gateway: YarnGateway) -> None:  # noqa: ARG001
    place = Place(hdfs_dir, FileSystems("file://"))
    tables = {}
    for name in ("a", "b"):
        tables[name] = b"id,text\n" + b"".join(
            b'%d,"%s\n%s"\n' % (n, name.encode(), b"x" * 100) for n in range(20_000)
        )
        place.write(f"in/{name}", tables[name])
    place.write("lib/csv_format.py", EXAMPLE.read_bytes())
    ended = gateway.submit(
        *("--worker-num", 2, "--input-strategy", "stream", "--inputformat", "csv_format:CsvInput"),
        *("--output-strategy", "stream", "--outputformat", "csv_format:CsvOutput"),
        *("--cacheFile", place.at("lib/csv_format.py"), "--conf", "xlearning.outputformat.part.size=32k"),
        *("--input", place.at("in"), "--output", place.at("out"), "--board-enable", "false"),
        *("--", "cat"),
    )
    assert ended.code == 0, ended.err
    files = {name: place.read(f"out/{name}") for name in place.tree("out")}
    assert files.pop("_SUCCESS") == ended.app_id.encode()
    for index, table in enumerate(tables.values()):
        parts = [files.pop(name) for name in sorted(files) if name.startswith(f"part-r-0000{index}")]
        assert len(parts) > 1
        head, _, rows = table.partition(b"\n")
        assert all(part.startswith(head + b"\n") for part in parts)
        assert b"".join(part.removeprefix(head + b"\n") for part in parts) == rows
    assert not files
    gateway.nothing_is_left_of(ended.app_id)
