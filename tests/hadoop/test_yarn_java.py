"""Java classes as formats on a real YARN: the nodes say where Hadoop is, and bring no JPype."""

from __future__ import annotations

import io
from pathlib import Path

import java_jar
import pytest
from minihadoop import MiniHadoop
from places import Place
from record_files import RecordFile
from yarn_gateway import YarnGateway

from xlearning.formats.sequence.writer import SequenceWriter

STREAM = ("--input-strategy", "stream", "--output-strategy", "stream", "--board-enable", "false")
# few JVMs, which start quickly
QUICK = (
    *("--conf", f"xlearning.java.options={java_jar.QUICK}"),
    *("--worker-num", 1, "--conf", "xlearning.input.reader.threads=1"),
)
LINES = [b"%s %d" % (name, n) for name in (b"a", b"b") for n in range(9000)]


@pytest.fixture
def nodes(hadoop: MiniHadoop, gateway: YarnGateway) -> YarnGateway:
    """In front of nodes with a HADOOP_HOME."""
    gateway.nodes_have({"HADOOP_HOME": str(hadoop.layout.root)})
    return gateway


def test_hadoops_classes_and_the_users(nodes: YarnGateway, place: Place, jar: Path, tmp_path: Path) -> None:
    """Two jobs: what Hadoop's class reads the user's writes, and the other way round."""
    place.write("lib/own.jar", jar.read_bytes())
    for name, lines in (("a", LINES[:9000]), ("b", LINES[9000:])):
        place.write(f"in/{name}", sequence_file(lines))
    first = nodes.submit(
        *(*STREAM, *QUICK, "--input", place.at("in"), "--output", place.at("brackets")),
        *("--inputformat", "org.apache.hadoop.mapred.SequenceFileInputFormat"),
        *("--conf", "xlearning.inputformat.java=true", "--conf", "xlearning.input.split.number=6"),
        *("--outputformat", "example.Brackets", "--cacheFile", place.at("lib/own.jar"), "--", "cat"),
    )
    assert first.code == 0, first.err
    assert "Libraries for the nodes: jpype1" in first.err
    assert place.tree("brackets").keys() == {"_SUCCESS", "part-r-00000.brackets"}
    assert place.read("brackets/part-r-00000.brackets") == b"".join(b"[%s]\n" % line for line in LINES)

    second = nodes.submit(
        *(*STREAM, *QUICK, "--input", place.at("brackets"), "--output", place.at("sequence")),
        *("--inputformat", "example.Upper", "--jars", jar),
        *("--conf", "xlearning.outputformat.java=true", "--conf", "xlearning.outputformat.codec=gzip"),
        *("--outputformat", "org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat", "--", "cat"),
    )
    assert second.code == 0, second.err
    (said,) = [line for line in second.err.splitlines() if "Libraries for the nodes" in line]
    assert "already there, nothing uploaded" in said
    (tmp_path / "part").write_bytes(place.read("sequence/part-r-00000"))
    assert RecordFile("sequencefile", tmp_path / "part").values() == [b"[%s]" % b.upper() for b in LINES]
    for ended in (first, second):
        nodes.nothing_is_left_of(ended.app_id)


def sequence_file(lines: list[bytes]) -> bytes:
    file = io.BytesIO()
    writer = SequenceWriter(file)
    for line in lines:
        writer.write(line)
    writer.flush()
    return file.getvalue()
