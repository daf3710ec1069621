"""What a job asks for: the request that is planned, and the properties."""

from __future__ import annotations

from xlearning.client.api.job import Job
from xlearning.client.planning.request import Request
from xlearning.client.settings import Layers


def request_of(job: Job) -> Request:
    """What a plan is made of."""
    line = job.line()
    return Request(
        command=line.command,
        app_name=line.one("app-name") or "",
        app_type=line.one("app-type") or "",
        inputs=line.many("input"),
        outputs=line.many("output"),
        files=line.many("files"),
        cache_files=line.many("cacheFile"),
        archives=line.many("archiveFiles"),
        cache_archives=line.many("cacheArchive"),
        output_index=line.one("output-index"),
    )


def layers_of(job: Job, base: Layers) -> Layers:
    """The job's properties on top of others."""
    line = job.line()
    pairs = tuple((name, text) for name, _, text in (pair.partition("=") for pair in line.many("conf")))
    return Layers(
        (*base.conf_files, *line.many("conf-file")),
        (*base.conf, *pairs),
        {**base.options, **line.properties()},
    )
