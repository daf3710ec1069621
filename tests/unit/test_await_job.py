"""An ApplicationMaster that starts before its job is staged, or after all is over."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from xlearning.am.__main__ import await_job
from xlearning.errors import ClusterError
from xlearning.fs import FileSystems
from xlearning.job import JobSpec, to_dict


def test_it_waits_for_the_client(tmp_path: Path) -> None:
    staging = tmp_path / "application_1_0001"
    wanted = JobSpec("", "n", "T", "me", ("x",), (), staging.as_uri(), "file://")

    def client() -> None:
        staging.mkdir()
        draft = staging / "draft"
        draft.write_text(json.dumps(to_dict(wanted)))
        draft.rename(staging / "job.json")

    thread = threading.Timer(0.05, client)
    thread.start()
    found = await_job(FileSystems("file://"), staging.as_uri(), 1, 30.0)
    thread.join()
    assert found == wanted


def test_a_later_attempt_without_a_folder_does_not_wait(tmp_path: Path) -> None:
    staging = (tmp_path / "application_1_0001").as_uri()
    with pytest.raises(ClusterError, match=rf"{staging} is gone: the job had ended before attempt 2"):
        await_job(FileSystems("file://"), staging, 2, 3600.0)


def test_a_client_that_never_comes(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match=r"no job in .* after 0 s: xl-submit was ended"):
        await_job(FileSystems("file://"), tmp_path.as_uri(), 2, 0.0)
