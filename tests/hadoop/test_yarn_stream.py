"""Input strategy STREAM on a real YARN: what two workers read together is the files, line by line."""

from __future__ import annotations

from minihadoop import MiniHadoop
from places import Place
from webhdfs import WebHdfs
from yarn_gateway import YarnGateway

from xlearning.fs import FileSystems

BLOCK = 32 << 10
FILES = {
    "in/a": [b"a %05d %s" % (n, b"x" * (n % 97)) for n in range(4000)],
    "in/b": [b"b %05d" % n for n in range(15000)],
    "in/c": [b"c alone"],
}


def test_shuffled_blocks_of_several_files(hadoop: MiniHadoop, hdfs_dir: str, gateway: YarnGateway) -> None:
    place, web = Place(hdfs_dir, FileSystems("file://")), WebHdfs(hadoop.namenode_web)
    root = hdfs_dir.removeprefix(hadoop.hdfs_uri)
    for name, lines in FILES.items():
        web.write(f"{root}/{name}", b"\n".join(lines), blocksize=BLOCK)  # the last line has no end
    assert all(len(b"\n".join(FILES[name])) > 3 * BLOCK for name in ("in/a", "in/b"))
    ended = gateway.submit(
        *("--worker-num", 2, "--input-strategy", "stream", "--inputformat-shuffle"),
        *("--input", place.at("in"), "--output", f"{place.at('out')}#out", "--board-enable", "false"),
        *("--", "bash", "-c", "cat > out/$INDEX"),
    )
    assert ended.code == 0, ended.err
    parts = [place.read(f"out/{name}") for name in place.tree("out") if name != "_SUCCESS"]
    assert len(parts) == 2
    assert all(part.endswith(b"\n") and b"a " in part and b"b " in part for part in parts)
    read = b"".join(parts).splitlines()
    assert sorted(read) == sorted(line for lines in FILES.values() for line in lines)
    gateway.nothing_is_left_of(ended.app_id)
