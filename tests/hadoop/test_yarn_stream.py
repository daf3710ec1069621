"""Input strategy STREAM on a real YARN: what two workers read together is the files, line by line."""

from __future__ import annotations

import json

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


def test_blocks_of_several_files_near_their_workers(
    hadoop: MiniHadoop, hdfs_dir: str, gateway: YarnGateway
) -> None:
    place, web = Place(hdfs_dir, FileSystems("file://")), WebHdfs(hadoop.namenode_web)
    root = hdfs_dir.removeprefix(hadoop.hdfs_uri)
    for name, lines in FILES.items():
        web.write(f"{root}/{name}", b"\n".join(lines), blocksize=BLOCK)  # the last line has no end
    assert all(len(b"\n".join(FILES[name])) > 3 * BLOCK for name in ("in/a", "in/b"))
    ended = gateway.submit(
        *("--worker-num", 2, "--input-strategy", "stream"),
        *("--input", place.at("in"), "--output", f"{place.at('out')}#out", "--board-enable", "false"),
        *("--conf", "xlearning.input.stream.order=local"),
        *("--", "bash", "-c", "cat > out/$INDEX; cp $XLEARNING_INPUT_SPLITS_FILE out/$INDEX.splits"),
    )
    assert ended.code == 0, ended.err
    names = [name for name in place.tree("out") if name != "_SUCCESS"]
    parts = [place.read(f"out/{name}") for name in names if not name.endswith(".splits")]
    assert len(parts) == 2
    assert all(part.endswith(b"\n") and b"a " in part and b"b " in part for part in parts)
    read = b"".join(parts).splitlines()
    assert sorted(read) == sorted(line for lines in FILES.values() for line in lines)
    manifests = [json.loads(place.read(f"out/{name}")) for name in names if name.endswith(".splits")]
    told = sorted((s["uri"], s["start"], s["length"]) for one in manifests for s in one["splits"])
    assert sum(length for _, _, length in told) == sum(len(b"\n".join(lines)) for lines in FILES.values())
    assert [start for uri, start, _ in told if uri == place.at("in/a")][:3] == [0, BLOCK, 2 * BLOCK]
    sizes = [sum(split["length"] for split in one["splits"]) for one in manifests]
    assert abs(sizes[0] - sizes[1]) <= 1.1 * BLOCK
    first = [split["start"] // BLOCK for split in manifests[0]["splits"] if split["uri"] == place.at("in/a")]
    assert first != list(range(first[0], first[0] + len(first)))  # not neighbours, so hosts were known
    gateway.nothing_is_left_of(ended.app_id)
