"""``--files``, ``--jars``, ``--cacheFile``, ``--cacheArchive``, ``--archiveFiles``: files for all."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning.client.planning.names import file_name, plain_name, split_alias, split_list
from xlearning.client.problems import Problem, resolve, unanswered
from xlearning.errors import StorageError
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus, exists, split_uri
from xlearning.job import LocalResource, ResourceKind

_FILE, _ARCHIVE = ResourceKind.FILE, ResourceKind.ARCHIVE
_WITHOUT_ALIAS = ("--files", "--jars")


@dataclass(frozen=True)
class Shipped:
    """One resource of the plan.

    Attributes
    ----------
    resource : LocalResource
        Name in the containers, and the address as the user gave it.
    status : FileStatus
        As listed: size, mode.
    upload : bool
        Whether the file is of this machine, so that containers elsewhere need a copy.
    """

    resource: LocalResource
    status: FileStatus
    upload: bool


@dataclass(frozen=True)
class _Wish:
    option: str
    path: str
    alias: str | None
    kind: ResourceKind
    of_this_machine: bool


def collect(
    *,
    files: Sequence[str],
    cache_files: Sequence[str],
    archives: Sequence[str],
    cache_archives: Sequence[str],
    jars: Sequence[str] = (),
    fss: FileSystems,
    problems: list[Problem],
) -> list[Shipped]:
    """All resources of a command line; what is missing or collides is a problem."""
    wishes = [
        *_wishes("--files", files, _FILE, of_this_machine=True),
        *_wishes("--archiveFiles", archives, _ARCHIVE, of_this_machine=True),
        *_wishes("--cacheFile", cache_files, _FILE, of_this_machine=False),
        *_wishes("--cacheArchive", cache_archives, _ARCHIVE, of_this_machine=False),
        *_jars(jars),
    ]
    shipped: dict[str, Shipped] = {}
    for wish in wishes:
        found = _find(wish, fss, problems)
        if found is None:
            continue
        first = shipped.setdefault(found.resource.name, found)
        if first is not found and first.resource != found.resource:
            problems.append(
                Problem(
                    f"{first.resource.uri} and {found.resource.uri} would both be named "
                    f"{found.resource.name} in the containers",
                    _collision_fix(wish),
                )
            )
    return list(shipped.values())


def _collision_fix(wish: _Wish) -> str:
    if wish.option in _WITHOUT_ALIAS:
        return f"rename one, or give one by --cacheFile {wish.path}#OTHER_NAME"
    return f"give one another name: {wish.option} {wish.path}#OTHER_NAME"


def _wishes(
    option: str, texts: Sequence[str], kind: ResourceKind, *, of_this_machine: bool
) -> Iterator[_Wish]:
    for text in texts:
        for part in split_list(text):
            path, alias = (part, None) if option in _WITHOUT_ALIAS else split_alias(part)
            name = None if alias is None else alias.replace("\\,", ",")
            yield _Wish(option, path.replace("\\,", ","), name, kind, of_this_machine)


def _jars(texts: Sequence[str]) -> Iterator[_Wish]:
    """Of this machine, but for those with the address of another file system."""
    for wish in _wishes("--jars", texts, _FILE, of_this_machine=True):
        yield dataclasses.replace(wish, of_this_machine=split_uri(wish.path)[0] in ("", "file"))


def _find(wish: _Wish, fss: FileSystems, problems: list[Problem]) -> Shipped | None:
    if wish.of_this_machine and split_uri(wish.path)[0] not in ("", "file"):
        other = "--cacheFile" if wish.kind is _FILE else "--cacheArchive"
        problems.append(
            Problem(f"{wish.option} {wish.path}: only files of this machine", f"use {other} {wish.path}")
        )
        return None
    uri = _resolve(wish, fss, problems)
    if uri is None:
        return None
    try:
        name = plain_name(file_name(uri) if wish.alias is None else wish.alias)
    except ValueError as error:
        fix = "give a plain name after #"
        problems.append(Problem(f"{wish.option} {wish.path}#{wish.alias}: bad name: {error}", fix))
        return None
    try:
        status = fss.of(uri).stat(uri)
    except FileNotFoundError:
        problems.append(Problem(f"{wish.option}: there is no {uri}", _way_to(wish, uri, fss)))
        return None
    except StorageError as error:
        unanswered(uri, error, fss, problems)
        return None
    except OSError as error:
        problems.append(Problem(f"{wish.option} {uri}: {error}", "ask its owner for read permission"))
        return None
    if status.is_dir and wish.option != "--cacheFile":
        fix = "pack it (tar czf NAME.tgz ...) and use --archives NAME.tgz"
        problems.append(Problem(f"{wish.option}: {uri} is a folder", fix))
        return None
    if status.special:
        fix = "give a file: write what it yields to one first"
        problems.append(Problem(f"{wish.option}: {uri} is a {status.special}, not a file", fix))
        return None
    return Shipped(LocalResource(name, uri, wish.kind), status, uri.startswith("file://"))


def _way_to(wish: _Wish, uri: str, fss: FileSystems) -> str:
    """What to do about a file that is not there: ``#NAME`` may have been meant to rename it."""
    path, sep, name = uri.rpartition("#")
    if wish.option == "--files" and sep and name and exists(fss.of(path), path):
        return f"--files gives no other name: write --cacheFile {shlex.quote(uri)}"
    return "correct the path"


def _resolve(wish: _Wish, fss: FileSystems, problems: list[Problem]) -> str | None:
    path = wish.path
    if wish.of_this_machine and not split_uri(path)[0]:
        path = f"file://{Path(path).absolute()}"
    return resolve(path, fss, wish.option, problems)
