"""Output strategy STREAM end to end, with output on a local disk."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from places import Place
from submitting import Ended, Gateway

from xlearning.fs import FileSystems

LINES = [b"%05d %s" % (n, b"x" * (n % 97)) for n in range(20_000)]
TEXT = b"\n".join(LINES) + b"\n"


def run(gateway: Gateway, place: Place, program: str, *args: object) -> Ended:
    return gateway.submit(
        *("--output-strategy", "stream", "--output", place.at("out"), *args, "--", "bash", "-c", program)
    )


def published(place: Place) -> dict[str, bytes]:
    return {name: place.read(f"out/{name}") for name in place.tree("out")}


@pytest.fixture
def disk(tmp_path: Path) -> Place:
    return Place(tmp_path.as_uri(), FileSystems("file://"))


@pytest.fixture
def text(gateway: Gateway) -> Path:
    path = gateway.work / "text"
    path.write_bytes(TEXT)
    return path


def test_what_two_workers_print_in_parts(disk: Place, gateway: Gateway, text: Path) -> None:
    ended = run(
        *(gateway, disk, f"echo $INDEX >&2; head -c 1000000 {text}; printf 'the end %s\\r' $INDEX"),
        *("--worker-num", 2, "--conf", "mapred.reduce.max.size.per.file=400000"),
    )
    assert ended.code == 0, ended.err
    files = published(disk)
    names = [f"part-r-0000{index}{number}" for index in (0, 1) for number in ("", "_00001", "_00002")]
    assert list(files) == ["_SUCCESS", *names]
    for index in (0, 1):
        parts = [files[name] for name in names if name.startswith(f"part-r-0000{index}")]
        assert b"".join(parts) == TEXT[:1_000_000] + b"the end %d\r\n" % index
        assert all(part.endswith(b"\n") and 400_000 <= len(part) < 400_200 for part in parts[:-1])
    gateway.nothing_is_left()


def test_compressed_in_a_folder_of_the_container(disk: Place, gateway: Gateway, text: Path) -> None:
    ended = run(
        *(gateway, disk, f"cat {text}", "--outputformat-enable", "--create-containerid-dir"),
        *(
            "--outputformat",
            "org.apache.hadoop.mapred.TextOutputFormat",
            "--conf",
            "mapred.output.compress=true",
        ),
    )
    assert ended.code == 0, ended.err
    success, (name, data) = published(disk).items()
    assert success[0] == "_SUCCESS"
    assert name.startswith("container_") and name.endswith("/part-r-00000.gz")
    assert gzip.decompress(data) == TEXT
    for verb in ("status", "describe"):
        told = gateway.verb(verb, "--local", "last").out
        assert "standard output" in told and "./output" not in told


def test_of_one_worker_alone(disk: Place, gateway: Gateway) -> None:
    late = "exec > >(sleep 1; cat); echo $INDEX"  # a filter that goes on after the program
    ended = run(gateway, disk, late, "--worker-num", 2, "--output-index", 1)
    assert ended.code == 0, ended.err
    files = published(disk)
    files.pop("_SUCCESS")
    assert files == {"part-r-00001": b"1\n"}


def test_a_program_that_fails_publishes_nothing(disk: Place, gateway: Gateway, text: Path) -> None:
    ended = run(
        *(gateway, disk, f"cat {text}; echo it went wrong >&2; exit 3"),
        *("--conf", "xlearning.outputformat.part.size=100000"),
    )
    assert ended.code == 2
    assert "it went wrong" in ended.err
    assert not disk.exists("out")
    gateway.nothing_is_left()


@pytest.mark.parametrize("when", ["while it runs", "at its end"])
def test_output_that_cannot_be_stored(gateway: Gateway, disk: Place, when: str) -> None:
    """The folder for the parts is replaced by a file as soon as the program runs."""
    spoil = f"for d in {disk.uri.removeprefix('file://')}/out/_temporary/*; do rm -r $d; touch $d; done"
    much, size = ("", "1g") if when == "at its end" else ("; yes", "1")
    ended = run(
        gateway, disk, f"{spoil}; echo one{much}", "--conf", f"xlearning.outputformat.part.size={size}"
    )
    assert ended.code == 2
    verb = "uploaded" if when == "at its end" else "written"
    assert f"its output could not be {verb}: {disk.at('out/_temporary')}" in ended.err
    assert "/part-r-00000" in ended.err
    gateway.nothing_is_left()


def test_the_disk_of_the_container_is_full(disk: Place, gateway: Gateway) -> None:
    """A limit on the size of files stands for the full disk."""
    gateway.program = ("bash", "-c", 'ulimit -f 4000; exec "$@"', "bash", *gateway.program)
    ended = run(gateway, disk, "yes")
    assert ended.code == 2
    assert f"its output could not be written: {disk.at('out/_temporary')}" in ended.err
    assert "/part-r-00000: [Errno 27] File too large" in ended.err
    assert not disk.exists("out")
    gateway.nothing_is_left()


def test_what_makes_no_sense_is_refused(disk: Place, gateway: Gateway) -> None:
    ended = run(
        *(gateway, disk, "true", "--output", disk.at("more"), "--outputformat", "csv"),
    )
    assert ended.code == 1
    assert "output strategy STREAM writes to one output, and there are 2" in ended.err
    assert "output format csv is not part of this version" in ended.err
    ended = gateway.submit("--output-strategy", "OUTPUTFORMAT", "--", "true")
    assert ended.code == 1
    assert "output strategy STREAM without an output" in ended.err
    ended = gateway.submit(
        "--dry-run", "--output-strategy", "stream", "--output", f"{disk.at('out')}#model", "--", "true"
    )
    assert ended.code == 0, ended.err
    assert f"Outputs (STREAM, from every worker)\n  standard output -> {disk.at('out')}\n" in ended.out
    assert "standard output goes there, and no folder model of the containers" in ended.err + ended.out
