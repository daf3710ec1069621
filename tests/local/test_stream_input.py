"""Input strategy STREAM end to end, with data on local disks and on HDFS."""

from __future__ import annotations

import bz2
import gzip
import itertools

import pytest
from minihadoop import MiniHadoop
from places import Place
from submitting import Ended, Gateway, wait_for
from webhdfs import WebHdfs

from xlearning.formats import libraries
from xlearning.fs import FileSystems

LINES = [b"%05d %s" % (n, b"x" * (n % 97)) for n in range(4000)]
DATA = b"\n".join(LINES) + b"\n"
SMALL = ("--conf", "xlearning.input.split.maxsize=16k")
KEEP = ("bash", "-c", "cat > out/$INDEX; wc -l < out/$INDEX > out/$INDEX.lines")


def run(gateway: Gateway, place: Place, *args: object, workers: int = 3) -> Ended:
    return gateway.submit(
        *("--worker-num", workers, "--input-strategy", "stream", "--output", f"{place.at('out')}#out"),
        *("--conf", "xlearning.createcontainerid.dir=true"),
        *args,
        *("--", *KEEP),
    )


def fed(ended: Ended, place: Place, gateway: Gateway) -> list[bytes]:
    """What each worker has read, by index."""
    assert ended.code == 0, ended.err
    found = {
        int(name.rpartition("/")[2]): place.read(f"out/{name}")
        for name in place.tree("out")
        if name.rpartition("/")[2].isdigit()
    }
    gateway.nothing_is_left()
    return [found[index] for index in sorted(found)]


def test_neighbouring_splits_of_all_inputs_in_their_order(place: Place, gateway: Gateway) -> None:
    place.write("in/a", DATA)
    place.write("in/_SUCCESS", b"hidden")
    place.write("in/.hidden/part", b"hidden")
    place.write("more/b", DATA.replace(b"\n", b"\r\n")[:-2])
    ended = run(gateway, place, "--input", f"{place.at('in')}#in", "--input", place.at("more"), *SMALL)
    parts = fed(ended, place, gateway)
    assert b"".join(parts) == DATA + DATA
    assert min(map(len, parts)) > len(DATA) // 2
    counts = [place.read(f"out/{name}") for name in place.tree("out") if name.endswith(".lines")]
    assert sum(map(int, counts)) == 2 * len(LINES)


def test_shuffled_splits_in_epochs(place: Place, gateway: Gateway) -> None:
    place.write("in/a", DATA)
    ended = run(
        gateway,
        place,
        *("--input", place.at("in"), *SMALL, "--inputformat-shuffle", "--stream-epoch", 2),
        *("--inputformat", "org.apache.hadoop.mapred.TextInputFormat"),
    )
    parts = fed(ended, place, gateway)
    for part in parts:
        half = len(part) // 2
        assert part[:half] == part[half:]
    assert sorted(b"".join(parts).splitlines()) == sorted(LINES * 2)
    numbers = [int(line[:5]) for line in parts[0].splitlines()]
    assert [b - a for a, b in itertools.pairwise(numbers) if b - a != 1]  # no neighbours alone


def test_more_workers_than_splits(place: Place, gateway: Gateway) -> None:
    place.write("in/a", DATA)
    ended = run(gateway, place, "--input", place.at("in"))
    assert "2 of 3 workers get no input: there is only 1 split" in ended.err
    assert fed(ended, place, gateway) == [DATA, b"", b""]


def test_a_file_that_vanishes_fails_the_job(place: Place, gateway: Gateway) -> None:
    for name in ("a", "b"):  # more than a pipe holds, so that the second is not opened before it is gone
        place.write(f"in/{name}", DATA * 12)
    up, go = gateway.work / "up", gateway.work / "go"
    running = gateway.start(
        *("--input-strategy", "INPUTFORMAT", "--conf", "xlearning.input.prefetch=0"),
        *("--input", place.at("in"), "--output", f"{place.at('out')}#out"),
        *("--", "bash", "-c", f"read; touch {up}; until [ -e {go} ]; do sleep 0.02; done; cat > out/all"),
    )
    wait_for(up.exists)
    place.storage.of(place.uri).delete(place.at("in/b"))
    go.touch()
    ended = running.end()
    assert ended.code == 2
    assert f"its input could not be read: {place.at('in/b')} at byte 0: " in ended.err
    assert not place.exists("out/out")
    gateway.nothing_is_left()


@pytest.mark.hadoop
def test_one_split_per_block(hadoop: MiniHadoop, hdfs_dir: str, gateway: Gateway) -> None:
    path = hdfs_dir.removeprefix(hadoop.hdfs_uri)
    WebHdfs(hadoop.namenode_web).write(f"{path}/in/a", DATA, blocksize=32768)
    place = Place(hdfs_dir, FileSystems("file://"))
    blocks = -(-len(DATA) // 32768)
    assert blocks > 5
    dry = gateway.submit("--dry-run", "--input-strategy", "stream", "--input", place.at("in"), "--", "cat")
    assert dry.code == 0, dry.err
    assert f"worker 0: {blocks} splits" in dry.out
    assert f"{place.at('in/a')}  32.0 KiB from byte 32768" in dry.out
    parts = fed(run(gateway, place, "--input", place.at("in")), place, gateway)
    assert b"".join(parts) == DATA
    assert all(parts)


def test_compressed_files(place: Place, gateway: Gateway) -> None:
    half = len(DATA) // 2
    place.write("in/a.gz", gzip.compress(DATA[:half]) + gzip.compress(DATA[half:]))
    place.write("in/b.bz2", b"".join(bz2.compress(DATA[at : at + 9000]) for at in range(0, len(DATA), 9000)))
    place.write("in/c.zst", libraries.load("backports.zstd").compress(DATA))
    parts = fed(run(gateway, place, "--input", place.at("in"), *SMALL), place, gateway)
    assert b"".join(parts) == DATA * 3


def test_other_formats_are_refused(place: Place, gateway: Gateway) -> None:
    place.write("in/a", DATA)
    ended = run(gateway, place, "--input", place.at("in"), "--inputformat", "OwnInputFormat")
    assert ended.code == 1
    assert "input format OwnInputFormat is not part of this version" in ended.err
    ended = run(gateway, place)
    assert ended.code == 1
    assert "input strategy STREAM without an input" in ended.err


@pytest.mark.parametrize("place", ["local"], indirect=True)
def test_so_many_lines_for_each_worker_and_their_keys(place: Place, gateway: Gateway) -> None:
    place.write("in/a", b"one\ntwo\r\nthree\n")
    place.write("in/b", b"four")
    ended = run(
        gateway,
        place,
        *("--input", place.at("in"), "--inputformat", "org.apache.hadoop.mapred.lib.NLineInputFormat"),
        *("--conf", "mapreduce.input.lineinputformat.linespermap=2"),
        *("--conf", "xlearning.inputformat.key=true"),
        *("--conf", r"xlearning.inputformat.key.separator=\x01"),
    )
    assert fed(ended, place, gateway) == [b"0\x01one\n4\x01two\n", b"9\x01three\n", b"0\x01four\n"]


@pytest.mark.parametrize("place", ["local"], indirect=True)
def test_whole_files_in_binary_form(place: Place, gateway: Gateway) -> None:
    contents = {"a": b"\0\n\r\xff", "b": b"", "c": bytes(range(256)) * 9000}
    for name, data in contents.items():
        place.write(f"in/{name}", data)
    ask = ("--input", place.at("in"), "--inputformat", "wholefile")
    ended = run(gateway, place, *ask, "--conf", "xlearning.inputformat.io=rawbytes", workers=2)
    fields = [
        field for name, data in contents.items() for field in (f"{place.at('in')}/{name}".encode(), data)
    ]
    assert b"".join(fed(ended, place, gateway)) == b"".join(
        len(field).to_bytes(4, "big") + field for field in fields
    )
    refused = run(gateway, place, *ask)
    assert refused.code != 0
    assert "xlearning.inputformat.io=RAWBYTES" in refused.err
