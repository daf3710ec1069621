"""One attempt of a job, run by the test's own process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from job_samples import OWN_APP

from xlearning.am.runtime import Runtime, Services
from xlearning.cluster import base, credentials
from xlearning.cluster.local_containers import LocalContainerManager
from xlearning.fs import FileSystems
from xlearning.history.store import HistoryWriter
from xlearning.job import JobSpec, OutputSpec, RoleSpec, to_dict


def staging_of(folder: Path) -> Path:
    """The staging folder of the job below ``folder``."""
    return folder / "staging" / OWN_APP


class Attempt:
    """The first attempt of a staged job with an output ``folder/out``.

    Attributes
    ----------
    manager : LocalContainerManager
    """

    def __init__(self, folder: Path, workers: int, **fields: Any) -> None:
        self._folder, staging = folder, staging_of(folder)
        credentials.create(staging / "credentials")
        self.job = JobSpec(
            *(OWN_APP, "n", "T", "me", ("true",), (RoleSpec("worker", workers, 512, 1),)),
            *(staging.as_uri(), "file://"),
            outputs=(OutputSpec((folder / "out").as_uri(), "model"),),
            **fields,
        )
        (staging / "job.json").write_text(json.dumps(to_dict(self.job)))
        environ = {
            **os.environ,
            base.ENV_APP_ID: OWN_APP,
            base.ENV_STAGING: self.job.staging,
            base.ENV_CREDENTIALS: str(staging / "credentials"),
            base.ENV_HOST: "127.0.0.1",
            base.ENV_BACKEND: "local",
        }
        application = folder / "apps" / OWN_APP
        (application / "am" / "1").mkdir(parents=True)
        self.manager = LocalContainerManager(application, self.job, environ=environ)

    def runtime(self) -> Runtime:
        """Its run; make it in the event loop."""
        storage = FileSystems("file://")
        history = HistoryWriter(storage, (self._folder / "history").as_uri())
        certificate, key = credentials.load(staging_of(self._folder) / "credentials")
        return Runtime(
            self.job, 1, Services(self.manager, storage, history, certificate, key, "127.0.0.1", False)
        )
