"""Outputs on a real S3 server, as they are planned."""

from __future__ import annotations

import uuid

from contract_fs import write
from s3_server import ACCESS, SECRET, S3Server

from xlearning.client.planning.outputs import check_free
from xlearning.client.problems import Problem
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config
from xlearning.errors import ApplicationNotFound
from xlearning.fs import FileSystems
from xlearning.job import OutputSpec


def nobody(app_id: str) -> ApplicationReport:
    raise ApplicationNotFound(app_id)


def test_outputs_that_cannot_be_used(s3: S3Server) -> None:
    config = Config.from_properties(
        {
            "fs.s3a.endpoint": s3.endpoint,
            "fs.s3a.access.key": ACCESS,
            "fs.s3a.secret.key": SECRET,
            "xlearning.s3.region": "us-east-1",
        }
    )
    fss, bucket = FileSystems(config=config), s3.bucket(f"bucket-{uuid.uuid4().hex[:8]}")
    write(fss.of(bucket), f"{bucket}/there/a", b"1")
    problems: list[Problem] = []
    specs = [
        OutputSpec(remote, "out") for remote in (f"{bucket}/there", f"{bucket}/a/new", "s3a://no-such/a/b")
    ]
    assert not check_free(specs, fss, user="me", report=nobody, saves="/i_", problems=problems, notes=[])
    there, lacking = problems
    assert there.fix.startswith("choose another folder, or delete what is there, or say what becomes of it")
    assert lacking.message == "output s3a://no-such/a/b: there is no bucket no-such"
