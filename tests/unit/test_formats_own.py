"""Formats of the user's own: what is wrong with them is told with its place, and before anything runs."""

from __future__ import annotations

import errno
import textwrap
from collections.abc import Iterator

import pytest

from xlearning.config import Config
from xlearning.errors import StorageUnavailable
from xlearning.formats import own
from xlearning.formats.base import Cutting
from xlearning.formats.output.registry import output_format
from xlearning.formats.registry import input_format
from xlearning.formats.source import Files
from xlearning.fs.base import FileStatus
from xlearning.fs.registry import FileSystems

CONFIG = Config.from_properties({"my.key": "7"})
FILE = FileStatus("file:///x", 3, is_dir=False, modified=0.0)


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    own.offer({})


def fault(text: str, name: str = "mine:Mine", *, output: bool = False) -> own.FormatFault:
    own.offer({"mine": textwrap.dedent(text)})
    with pytest.raises(own.FormatFault) as caught:
        if output:
            output_format(name, CONFIG)
        else:
            format_ = input_format(name, CONFIG)
            reading = Files(FileSystems("file://"))
            for split in format_.splits([FILE], Cutting(), reading):
                list(format_.records(split, reading))
    return caught.value


def test_what_cannot_be_loaded() -> None:
    assert fault("", "mine:").message == "input format mine: does not name a class"
    missing = fault("", "other:Mine")
    assert missing.message == "input format other:Mine: there is no module other"
    assert missing.hint == "ship it: --files other.py"
    assert fault("Mine = 3").message == "input format mine:Mine: there is no class Mine in mine.py"
    assert "SyntaxError" in fault("a = 1\nb = = 2").message
    assert fault("a = 1\nb = = 2").message.endswith("(mine.py line 2)")
    assert fault("import nothing_like_it").message.endswith(
        "No module named 'nothing_like_it' (mine.py line 1, in <module>)"
    )
    assert fault("raise SystemExit(3)").message.endswith("SystemExit: 3 (mine.py line 1, in <module>)")
    lacking = fault("class Mine:\n    def __init__(self, config): pass")
    assert lacking.message == "input format mine:Mine has no method splits, records"
    assert fault("class Mine: pass", output=True).message.endswith("has no method writer")
    assert "takes" in fault("class Mine:\n    def splits(self): pass\n    records = splits").message


METHODS = """
from xlearning.errors import StorageUnavailable
from xlearning.job import InputSplit

class Mine:
    def __init__(self, config):
        assert config.text("my.key") == "7"

    def splits(self, files, cutting, reading):
        {splits}

    def records(self, split, reading):
        {records}
"""
GOOD = "return [InputSplit(f.path, 0, f.size, f.size) for f in files]"


@pytest.mark.parametrize(
    ("splits", "records", "words"),
    [
        ("return [files[0].path]", "pass", "splits gave str, and not InputSplit"),
        ("return [InputSplit(b'x', 0, 1, 1)]", "pass", "uri, data or hosts of a split are no text"),
        ("return [InputSplit('x', 0, None, 1)]", "pass", "start, length or size of a split are no numbers"),
        (GOOD, "yield b'', 'text'", "records gave bytes and str, and not key and value as bytes"),
        (GOOD, "yield b''", "ValueError: not enough values to unpack"),
        ("return 1 / 0", "pass", "ZeroDivisionError: division by zero (mine.py line 10, in splits)"),
        (GOOD, "open('/no/such')", "No such file or directory: '/no/such' (mine.py line 13, in records)"),
    ],
)
def test_what_is_not_as_the_protocol_says(splits: str, records: str, words: str) -> None:
    message = fault(METHODS.format(splits=splits, records=records)).message
    assert message.startswith("input format mine:Mine: ")
    assert words in message


def test_errors_of_file_systems_stay_what_they_are() -> None:
    own.offer({"mine": METHODS.format(splits=GOOD, records="yield b'', reading.open('x', 1).read(0, 1)")})
    format_ = input_format("mine:Mine", CONFIG)

    class Broken:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def open(self, uri: str, size: int) -> None:  # noqa: ARG002
            raise self.error

    (split,) = format_.splits([FILE], Cutting(), Files(FileSystems("file://")))
    for error in (StorageUnavailable("away"), OSError(errno.EIO, "broken")):
        with pytest.raises(type(error)) as caught:
            list(format_.records(split, Broken(error)))  # type: ignore[arg-type]
        assert caught.value is error


def test_another_text_is_another_module() -> None:
    for number in (1, 2):
        own.offer(
            {"mine": f"class Mine:\n    def __init__(self, c): pass\n    def writer(self, p): {number}"}
        )
        format_ = output_format("mine:Mine", CONFIG)
        assert format_.name == "mine:Mine"
        with pytest.raises(own.FormatFault, match="its writer, NoneType, needs the methods write and close"):
            format_.writer(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "GeneratorExit", "SystemExit"])
def test_whatever_records_raise_is_told_and_ends_no_agent(error: str) -> None:
    assert fault(ENDING.format(error)).message.endswith(f"{error}:  (mine.py line 14, in records)")


def test_reading_can_be_given_up() -> None:
    own.offer({"mine": ENDING.format("ValueError")})
    reading = Files(FileSystems("file://"))
    format_ = input_format("mine:Mine", CONFIG)
    records = format_.records(format_.splits([FILE], Cutting(), reading)[0], reading)
    assert next(iter(records)) == (b"", b"1")
    records.close()  # type: ignore[attr-defined]


def test_what_is_printed_stays_out_of_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    fault("print('loaded')\n" + ENDING.format("ValueError"))
    caught = capsys.readouterr()
    assert caught.out == ""
    assert caught.err == "loaded\nmade\ncut\n"


ENDING = """
from xlearning.job import InputSplit

class Mine:
    def __init__(self, config):
        print("made")

    def splits(self, files, cutting, reading):
        print("cut")
        return [InputSplit(file.path, 0, 3, 3) for file in files]

    def records(self, split, reading):
        yield b"", b"1"
        raise {0}
"""
