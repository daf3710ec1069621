"""A job that takes many small files along takes them as one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xlearning.client.planning.resources import Shipped
from xlearning.client.problems import Problem, refuse
from xlearning.cluster import bundle
from xlearning.fs import FileSystems
from xlearning.fs.base import split_uri
from xlearning.job import LocalResource, ResourceKind

MOST = 16  # small files that go by themselves: links to copies that the containers of a node share


def gather(shipped: Sequence[Shipped], fss: FileSystems, work: Path, *, smallest: int) -> tuple[Shipped, ...]:
    """The resources of a job, with one bundle in the place of many small files of this machine.

    Parameters
    ----------
    work : Path
        Folder for the bundle.
    smallest : int
        Bytes from which on a file counts as large.

    Raises
    ------
    xlearning.errors.UsageError
        Files cannot be read.
    """
    small = [item for item in shipped if _is_small(item, smallest)]
    if len(small) <= MOST:
        return tuple(shipped)
    files = {item.resource.name: Path(split_uri(item.resource.uri)[2]) for item in small}
    target = work / bundle.NAME
    try:
        bundle.write(files, target)
    except OSError as error:
        refuse(
            _unreadable(list(files.values())) or [Problem(f"{target} cannot be written: {error.strerror}")]
        )
        raise
    uri = target.as_uri()
    one = Shipped(LocalResource(bundle.NAME, uri), fss.of(uri).stat(uri), upload=True)
    return (*(item for item in shipped if item not in small), one)


def _is_small(item: Shipped, smallest: int) -> bool:
    plain = item.resource.kind is ResourceKind.FILE and not item.status.is_dir
    return item.upload and plain and item.status.size < smallest


def _unreadable(paths: Sequence[Path]) -> list[Problem]:
    found = []
    for path in paths:
        try:
            open(path, "rb").close()
        except OSError as error:
            found.append(Problem(f"--files: {path} cannot be read: {error.strerror}", "correct the path"))
    return found
