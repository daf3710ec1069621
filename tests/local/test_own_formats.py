"""Formats of the user's own, in and out: those of the example, and some that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from places import Place
from submitting import Ended, Gateway

from xlearning.fs import FileSystems

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "csv_format" / "csv_format.py"
TABLE = 'id;text\n1;"two\nlines"\n2;plain;\n'.replace("plain;", "plain")


@pytest.fixture
def disk(tmp_path: Path) -> Place:
    return Place(tmp_path.as_uri(), FileSystems("file://"))


def run(gateway: Gateway, place: Place, inside: str, outside: str, *args: object) -> Ended:
    return gateway.submit(
        *("--input-strategy", "stream", "--inputformat", inside, "--input", place.at("in")),
        *("--output-strategy", "stream", "--outputformat", outside, "--output", place.at("out")),
        *args,
        *("--", "cat"),
    )


def test_the_example(disk: Place, gateway: Gateway) -> None:
    disk.write("in/a", TABLE.encode())
    disk.write("in/b", TABLE.replace("1", "3").encode())
    ended = run(
        *(gateway, disk, "csv_format:CsvInput", "csv_format:CsvOutput", "--worker-num", 2),
        *("--files", EXAMPLE, "--conf", "csv.delimiter=;"),
    )
    assert ended.code == 0, ended.err
    assert disk.read("out/part-r-00000.csv") == TABLE.encode()
    assert disk.read("out/part-r-00001.csv") == TABLE.replace("1", "3").encode()
    gateway.nothing_is_left()


WRONG = """
from xlearning.job import InputSplit

class In:
    def __init__(self, config):
        pass

    def splits(self, files, cutting, reading):
        return [InputSplit(file.path, 0, file.size, file.size) for file in files]

    def records(self, split, reading):
        yield b"", b"one"
        yield b"", b"%d" % "two"

class Out:
    def __init__(self, config):
        pass

    def writer(self, parts):
        return self

    def write(self, records):
        raise RuntimeError(f"{len(records)} are too many")

    def close(self):
        pass
"""


@pytest.mark.parametrize(
    ("inside", "outside", "words"),
    [
        (
            "wrong:In",
            "text",
            "its input could not be read: {at}/in/a: input format wrong:In: "
            "TypeError: %d format: a real number is required, not str (wrong.py line 13, in records)",
        ),
        (
            "text",
            "wrong:Out",
            "output format wrong:Out: RuntimeError: 1 are too many (wrong.py line 23, in write)",
        ),
    ],
)
def test_code_that_fails_fails_its_container(
    disk: Place, gateway: Gateway, inside: str, outside: str, words: str
) -> None:
    disk.write("in/a", b"1\n")
    (gateway.work / "wrong.py").write_text(WRONG)
    ended = run(gateway, disk, inside, outside, "--files", gateway.work / "wrong.py")
    assert ended.code == 2
    assert words.format(at=disk.uri) in ended.err
    assert "Traceback" not in ended.err
    assert not disk.exists("out")
    gateway.nothing_is_left()
