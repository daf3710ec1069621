"""What a job asks for: the request that is planned, and the properties."""

from __future__ import annotations

from collections.abc import Mapping

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
        cache_files=line.many("cache-file"),
        archives=line.many("archives"),
        cache_archives=line.many("cache-archive"),
        jars=line.many("jars"),
        env=line.many("env"),
        env_files=line.many("env-file"),
        template=line.on("template") if line.given("template") else None,
        path=line.one("user-path") or "",
        library_path=line.one("user-ldlibrarypath") or "",
        output_index=line.one("output-index"),
    )


def layers_of(job: Job, base: Layers, written: Mapping[str, str] | None = None) -> Layers:
    """The job's properties on top of others.

    Parameters
    ----------
    written : mapping
        Option -> the spelling that the user knows it by; see `Scan.written`.
    """
    line = job.line()
    line.written.update(written or {})
    pairs = tuple((name, text) for name, _, text in (pair.partition("=") for pair in line.many("conf")))
    return Layers(
        (*base.conf_files, *line.many("conf-file")),
        (*base.conf, *pairs),
        {**base.options, **line.properties()},
        (*base.properties_files, *line.many("properties-file")),
    )
