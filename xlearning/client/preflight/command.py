"""Whether the command of a job with ``--local`` can be found: its PATH is that of this machine."""

from __future__ import annotations

import contextlib
import difflib
import os
import shutil
from collections.abc import Iterator, Mapping

from xlearning.client.cli import VERBS
from xlearning.config import Config
from xlearning.job import JobSpec

_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"  # of containers, where this machine has none
_HOMES = ("JAVA_HOME", "HADOOP_HDFS_HOME", "HADOOP_HOME", "HADOOP_YARN_HOME")
_ALIKE = 0.75


def tell(job: JobSpec, config: Config, notes: list[str], environ: Mapping[str, str] = os.environ) -> None:
    """A note where no container will find the program.

    Nothing is said where that is not known: with a PATH of the job's own, in an image, with words that are
    filled in later, and for a type of the user's own, which may run something else.
    """
    word = job.command[0] if job.command else ""
    path = environ.get("PATH") or _DEFAULT_PATH
    own_path = "PATH" in job.env or job.search.path or not all(map(os.path.isabs, path.split(":")))
    in_image = config.get("xlearning.container.type") == "DOCKER"
    odd = not word or "$" in word or "/" in word or len(word.split()) != 1
    if own_path or in_image or odd or job.framework or _found(word, path, environ):
        return
    meant = _meant(word, path, job)
    notes.append(f"there is no program {word} on PATH" + (f"; did you mean {meant}?" if meant else ""))


def _found(word: str, path: str, environ: Mapping[str, str]) -> bool:
    homes = (f"{environ[name]}/bin" for name in _HOMES if environ.get(name))
    return shutil.which(word, path=":".join((*homes, path))) is not None


def _meant(word: str, path: str, job: JobSpec) -> str:
    if word in (item.name for item in job.resources):
        return f"./{word}"
    if len(job.command) == 1 and (verbs := difflib.get_close_matches(word, VERBS, 1, _ALIKE)):
        return f"xl-submit {verbs[0]} --local"
    return next(iter(difflib.get_close_matches(word, sorted(set(_programs(path))), 1, _ALIKE)), "")


def _programs(path: str) -> Iterator[str]:
    """Names of what lies in the folders of a PATH; folders that cannot be listed have none to suggest."""
    for folder in path.split(":"):
        with contextlib.suppress(OSError):
            yield from os.listdir(folder)  # noqa: PTH208
