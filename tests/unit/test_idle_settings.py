"""Settings of streams in jobs without one, and of types in jobs of another type."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.client.planning.idle import tell, tell_type
from xlearning.config import load
from xlearning.job import InputStrategy, OutputStrategy

GIVEN = [
    ("xlearning.stream.epoch", "3"),
    ("mapreduce.input.fileinputformat.split.maxsize", "10"),
    ("xlearning.input.stream.shuffle", "false"),
    ("xlearning.outputformat.compress", "true"),
]
OPTIONS = {"xlearning.inputformat.class": ("text", "--inputformat")}
IN = (
    "no effect with input strategy DOWNLOAD: mapreduce.input.fileinputformat.split.maxsize=10 (--conf), "
    "--inputformat text, xlearning.stream.epoch=3 (--conf); add --input-strategy STREAM"
)
OUT = (
    "no effect with output strategy UPLOAD: xlearning.outputformat.compress=true (--conf); "
    "add --output-strategy STREAM"
)


@pytest.mark.parametrize(
    ("inside", "outside", "told"),
    [
        (InputStrategy.DOWNLOAD, OutputStrategy.UPLOAD, [IN, OUT]),
        (InputStrategy.STREAM, OutputStrategy.UPLOAD, [OUT]),
        (InputStrategy.DOWNLOAD, OutputStrategy.STREAM, [IN]),
    ],
)
def test_what_has_no_effect_is_told(inside: InputStrategy, outside: OutputStrategy, told: list[str]) -> None:
    notes: list[str] = []
    tell(load(environ={}, overrides=GIVEN, options=OPTIONS), inside, outside, notes)
    assert notes == told


def test_files_for_many_jobs_are_not_told_of(tmp_path: Path) -> None:
    file = tmp_path / "team.properties"
    file.write_text("xlearning.stream.epoch=3\nxlearning.outputformat.codec=gzip\n")
    notes: list[str] = []
    tell(load(environ={}, properties_files=[file]), InputStrategy.DOWNLOAD, OutputStrategy.UPLOAD, notes)
    assert not notes


@pytest.mark.parametrize(
    ("app_type", "told"),
    [
        (
            "DISTTORCH",
            [
                "no effect with type DISTTORCH: --chief-worker-memory 4g, "
                "xlearning.tf.distribution.strategy=true (--conf); meant for TENSORFLOW, TENSOR2TENSOR",
                "no effect with type DISTTORCH: xlearning.mpi.process.num.per.worker=2 (--conf); "
                "meant for MPI, TENSORNET",
            ],
        ),
        (
            "TENSORFLOW",
            [
                "no effect with type TENSORFLOW: xlearning.mpi.process.num.per.worker=2 (--conf); "
                "meant for MPI, TENSORNET"
            ],
        ),
    ],
)
def test_settings_of_other_types_are_told(app_type: str, told: list[str]) -> None:
    overrides = [
        ("xlearning.tf.distribution.strategy", "true"),
        ("xlearning.tf.coordinator", "false"),  # asks for nothing
        ("xlearning.mpi.process.num.per.worker", "2"),
    ]
    options = {"xlearning.chief.worker.memory": ("4g", "--chief-worker-memory")}
    notes: list[str] = []
    tell_type(app_type, load(environ={}, overrides=overrides, options=options), notes)
    assert notes == told
