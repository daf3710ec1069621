"""The example of formats of one's own: rows that do not fit are not lost."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from xlearning.config import Config
from xlearning.errors import StorageError
from xlearning.formats.source import Files
from xlearning.fs import FileSystems
from xlearning.job import InputSplit

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "csv_format" / "csv_format.py"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLE))


def values(example: dict[str, Any], path: Path, text: str) -> list[bytes]:
    path.write_text(text)
    split = InputSplit(path.as_uri(), 0, len(text), len(text))
    records = example["CsvInput"](Config.from_properties({})).records(split, Files(FileSystems()))
    return [value for _, value in records]


def test_rows(example: dict[str, Any], tmp_path: Path) -> None:
    assert values(example, tmp_path / "a", 'a,b\n1,"x\ny"\n\n2,\n') == [
        b'{"a": "1", "b": "x\\ny"}',
        b'{"a": "2", "b": ""}',
    ]


@pytest.mark.parametrize(("row", "count"), [("2", 1), ("2,3,4", 3)])
def test_rows_that_do_not_fit(example: dict[str, Any], tmp_path: Path, row: str, count: int) -> None:
    with pytest.raises(StorageError, match=f"^line 4: a row of {count} values under 2 names$"):
        values(example, tmp_path / "a", f'a,b\n1,"x\ny"\n{row}\n')


def test_output_with_other_names(example: dict[str, Any], tmp_path: Path) -> None:
    class Parts:
        limit = 100

        def create(self, ending: str = "") -> Any:
            return (tmp_path / f"part{ending}").open("wb")

    writer = example["CsvOutput"](Config.from_properties({})).writer(Parts())
    with pytest.raises(StorageError, match=r"^names a, c in a file with a, b$"):
        writer.write([b'{"a": 1, "b": 2}', b'{"a": 1, "c": 2}'])
    writer.close()
