"""What is said when a job is submitted, with commands to copy. Pure text."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from xlearning.client.scan import Scan
from xlearning.config import Config
from xlearning.job import JobSpec

# What a verb needs to know to find a job; the first one only where it is of this machine.
_LOCAL_DIR = "xlearning.local.dir"
_PLACES = ("xlearning.staging.dir", "xlearning.history.log.dir")
_LOGIN = ("xlearning.kerberos.keytab", "xlearning.kerberos.principal")


def banner(job: JobSpec, config: Config, line: Scan) -> str:
    """Several lines; the id is the last word of the first one.

    Parameters
    ----------
    line : Scan
        The command line that the configuration was read for.
    """
    crew = ", ".join(f"{role.name} {role.instances}" for role in job.roles)
    more = needed(config, line)
    follow = [f"  Follow: {command('top', job.app_id, more)}"] if line.given("detach") else []
    return "\n".join(
        [
            f"Submitted {job.app_name} ({crew}) as {job.app_id}",
            *follow,
            f"  Status: {command('status', job.app_id, more)}",
            f"  Logs:   {command('logs', job.app_id, ['--follow', *more])}",
            f"  Kill:   {command('kill', job.app_id, more)}",
        ]
    )


def left_alone(app_id: str, more: Sequence[str]) -> str:
    """What is said when the client leaves a job, with the ways back."""
    return "\n".join(
        [
            f"left alone: {app_id} goes on, and is not followed any more",
            f"  Follow: {command('top', app_id, more)}",
            f"  Kill:   {command('kill', app_id, more)}",
        ]
    )


def command(verb: str, app_id: str, more: Sequence[str]) -> str:
    """A command line about a job."""
    return shlex.join(["xl-submit", verb, app_id, *more])


def needed(config: Config, line: Scan) -> list[str]:
    """Words without which a verb would not find the job from the same shell, be it in another folder."""
    local = line.given("local")
    words = ["--local"] if local else []
    words += ["--cluster", str(line.one("cluster"))] if line.given("cluster") else []
    for option in ("conf-file", "properties-file"):
        for name in line.many(option):
            words += [f"--{option}", str(Path(name).absolute())]
    for key in ((_LOCAL_DIR,) if local else _LOGIN) + _PLACES:
        if config.is_set(key) and config.source(key).startswith("--") and config.text(key):
            text = str(config.text(key))
            path = key in (_LOCAL_DIR, _LOGIN[0]) and not text.startswith("~")
            words += ["--conf", f"{key}={Path(text).absolute() if path else text}"]
    return words
