"""Which optional libraries a job needs, and the archive that brings them to the nodes."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from xlearning.client.packaging.nodes import gateway
from xlearning.client.packaging.package import extras
from xlearning.formats import libraries
from xlearning.formats.needs import of_job
from xlearning.formats.output.registry import known as outputs
from xlearning.formats.registry import known
from xlearning.job import BoardSpec, InputSpec, InputStrategy, JobSpec, OutputSpec, OutputStrategy, RoleSpec

JOB = JobSpec("", "n", "T", "alice", ("x",), (RoleSpec("worker", 1, 512, 1),), "", "hdfs://nn:1")
STREAMS = dataclasses.replace(JOB, input_strategy=InputStrategy.STREAM, output_strategy=OutputStrategy.STREAM)


def needs(job: JobSpec, files: tuple[str, ...] = (), **values: str) -> tuple[str, ...]:
    properties = {f"xlearning.{name.replace('_', '.')}": value for name, value in values.items()}
    return of_job(dataclasses.replace(job, properties=properties), files).names()


@pytest.mark.parametrize(
    ("files", "values", "packages"),
    [
        (("a.txt", "b.bz2"), {}, ()),
        (("a.gz",), {}, ("isal",)),
        (("a.zst", "b.LZ4"), {}, ("backports.zstd", "cramjam")),
        (("a.zst",), {"inputformat_class": "parquet"}, ("pyarrow",)),
        ((), {"inputformat_class": "avro"}, ("backports.zstd", "cramjam", "fastavro")),
        ((), {"inputformat_class": "TFRecord"}, ("google-crc32c",)),
        ((), {"inputformat_class": "org.apache.hadoop.mapred.TextInputFormat"}, ()),
        ((), {"inputformat_class": "com.example.Rows"}, ("jpype1",)),
        ((), {"inputformat_class": "own:Format"}, ()),
        ((), {"outputformat_class": "parquet"}, ("pyarrow",)),
        ((), {"outputformat_codec": "org.apache.hadoop.io.compress.SnappyCodec"}, ("cramjam",)),
        ((), {"outputformat_class": "com.example.Rows", "outputformat_codec": "zstd"}, ("jpype1",)),
        ((), {"fs_hdfs_client": "LIBHDFS"}, ("pyarrow",)),
    ],
)
def test_what_a_job_needs(files: tuple[str, ...], values: dict[str, str], packages: tuple[str, ...]) -> None:
    assert needs(STREAMS, files, **values) == packages


def test_other_strategies_need_nothing() -> None:
    assert needs(JOB, ("a.zst",), inputformat_class="parquet", outputformat_codec="zstd") == ()


def test_tensorboard_where_it_is_wanted() -> None:
    job = dataclasses.replace(JOB, board=BoardSpec(True, 0, "eventLog", 1))
    assert needs(job) == needs(JOB, tf_board_enable="false") == ()
    assert needs(job, tf_board_enable="true") == ("tensorboard",)
    remote = dataclasses.replace(job, board=BoardSpec(True, 0, "hdfs://nn:1/events", 1))
    assert needs(remote) == ("fsspec",)
    assert needs(dataclasses.replace(job, board=BoardSpec(True, 0, "s3a://b/events", 1))) == ("s3fs",)


def test_file_systems() -> None:
    job = dataclasses.replace(
        JOB, inputs=(InputSpec("a", ("s3a://b/x", "hdfs://h/x")),), outputs=(OutputSpec("sftp://h/y", "o"),)
    )
    assert needs(job) == ("fsspec", "paramiko", "s3fs")
    web = dataclasses.replace(JOB, inputs=(InputSpec("a", ("http://h/x", "other://h/x")),))
    assert needs(web) == ("aiohttp", "fsspec")


def test_the_way_out_names_extras_where_there_are_some() -> None:
    assert libraries.way_out(("s3fs", "fsspec")) == "pip install 'xlearning[s3]'"
    assert libraries.way_out(("s3fs", "paramiko")) == "pip install 'xlearning[s3]' paramiko"
    assert libraries.way_out(("paramiko",)) == "pip install paramiko"


def test_what_is_only_of_use_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "available", lambda _: False)
    assert needs(STREAMS, ("a.gz", "b.zst")) == ("backports.zstd",)


def test_every_format_names_libraries_that_are_known() -> None:
    for name in (*known(), "a.b.Java"):
        assert libraries.way_out(needs(STREAMS, inputformat_class=name))
    for name in outputs():
        assert libraries.way_out(needs(STREAMS, outputformat_class=name))


def test_the_archive_holds_them_and_what_they_need_but_nothing_of_the_base(tmp_path: Path) -> None:
    here = gateway()
    archive, notes = extras(("s3fs", "cramjam"), here, here, tmp_path)
    tops = {name.partition("/")[0] for name in archive.files}
    assert {"s3fs", "fsspec", "botocore", "aiohttp", "cramjam"} <= tops
    assert not tops & {"grpc", "xlearning", "hdfs_native"}
    assert notes == ()
    assert archive.digest == extras(("cramjam", "s3fs"), here, here, tmp_path)[0].digest


def test_large_parts_of_libraries_that_no_agent_loads_stay_here(tmp_path: Path) -> None:
    here = gateway()
    files = extras(("s3fs", "pyarrow"), here, here, tmp_path)[0].files
    described = {name.split("/")[2] for name in files if re.match("botocore/data/[^/]+/", name)}
    assert {"s3", "sts"} <= described <= {"s3", "sts", "sso", "sso-oidc", "signin"}
    assert {"pyarrow/fs.py", "pyarrow/orc.py", "botocore/data/endpoints.json"} <= files.keys()
    assert [name for name in files if re.search("_flight|arrow_s3|_s3fs", name)] == []
