"""Record files end to end: Parquet in by columns and splits, SequenceFile out."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from record_files import RecordFile
from submitting import Gateway

ROWS = [f"row {n}" for n in range(9000)]


def test_parquet_in_and_sequence_files_out(tmp_path: Path, gateway: Gateway) -> None:
    (tmp_path / "in").mkdir()
    table = pa.table({"n": list(range(len(ROWS))), "s": ROWS})
    pyarrow.parquet.write_table(table, tmp_path / "in" / "f", row_group_size=500)
    ended = gateway.submit(
        *("--worker-num", 2, "--input-strategy", "stream", "--input", tmp_path / "in"),
        *("--inputformat", "parquet", "--conf", "xlearning.inputformat.columns=s"),
        *("--conf", "xlearning.input.split.maxsize=20k", "--output-strategy", "stream"),
        *("--outputformat", "sequencefile", "--output", tmp_path / "out", "--", "cat"),
    )
    assert ended.code == 0, ended.err
    parts = sorted((tmp_path / "out").rglob("part-r-*"))
    assert len(parts) == 2
    values = [RecordFile("sequencefile", path).values() for path in parts]
    assert all(values)
    assert [value.decode() for part in values for value in part] == ROWS
    gateway.nothing_is_left()
