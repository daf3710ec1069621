"""Formats and codecs on a real YARN whose nodes have none of the libraries for them."""

from __future__ import annotations

import io
import json

import fastavro
from minihadoop import MiniHadoop
from places import Place
from webhdfs import WebHdfs
from yarn_gateway import YarnGateway

from xlearning.formats import libraries
from xlearning.fs import FileSystems


def test_the_nodes_get_the_libraries_that_a_job_needs(
    hadoop: MiniHadoop, hdfs_dir: str, gateway: YarnGateway
) -> None:
    place, web = Place(hdfs_dir, FileSystems("file://")), WebHdfs(hadoop.namenode_web)
    root = hdfs_dir.removeprefix(hadoop.hdfs_uri)
    rows = [{"number": number} for number in range(1000)]
    for name in ("a", "b"):
        file = io.BytesIO()
        schema = {"type": "record", "name": "Row", "fields": [{"name": "number", "type": "int"}]}
        fastavro.writer(file, schema, rows, codec="snappy")
        web.write(f"{root}/in/{name}.avro", file.getvalue())
    ended = gateway.submit(
        *("--worker-num", 2, "--input-strategy", "stream", "--input", place.at("in")),
        *("--inputformat", "avro", "--output-strategy", "stream", "--output", place.at("out")),
        *("--board-enable", "false", "--conf", "xlearning.outputformat.codec=zstd", "--", "cat"),
    )
    assert ended.code == 0, ended.err
    assert "Libraries for the nodes: backports.zstd, cramjam, fastavro" in ended.err
    unpack = libraries.load("backports.zstd").decompress
    for number in (0, 1):
        lines = unpack(place.read(f"out/part-r-0000{number}.zst")).splitlines()
        assert [json.loads(line) for line in lines] == rows
    gateway.nothing_is_left_of(ended.app_id)
