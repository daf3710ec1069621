"""Whether the files and archives of a job can be read here and unpacked there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from xlearning.client.planning.resources import Shipped
from xlearning.client.planning.special import no_files
from xlearning.client.problems import Problem
from xlearning.fs import split_uri
from xlearning.fs.local import LocalFileSystem
from xlearning.job import ResourceKind

_EXPANDED = frozenset('"$`\\\n')
_REPACK = "pack it again, with tar czf NAME.tar.gz -C FOLDER . for example"


def check(shipped: Sequence[Shipped], *, on_yarn: bool) -> list[Problem]:
    """Problems of what a plan ships, whose existence is known.

    Parameters
    ----------
    on_yarn : bool
        YARN unpacks by the end of a name, and writes names into a shell script of its own.
    """
    found: list[Problem] = []
    for item in shipped:
        found += _readable(item)
        if item.resource.kind is ResourceKind.ARCHIVE and not item.status.is_dir:
            found += _archive(item, on_yarn=on_yarn)
        if on_yarn:
            found += _folder(item)
            found += _name(item.resource.name)
    return found


def _readable(item: Shipped) -> Iterator[Problem]:
    if item.upload and not os.access(_path(item), os.R_OK, effective_ids=True):
        yield Problem(f"{_path(item)} cannot be read", "ask its owner for read permission (chmod +r)")


def _folder(item: Shipped) -> Iterator[Problem]:
    """What of a folder of this machine cannot be uploaded; a job of this machine gets the folder itself."""
    if item.upload and item.status.is_dir:
        try:
            yield from no_files("--cacheFile", LocalFileSystem().walk(item.resource.uri))
        except OSError as error:
            yield Problem(f"--cacheFile {item.resource.uri}: {error}", "ask its owner for read permission")


def _archive(item: Shipped, *, on_yarn: bool) -> Iterator[Problem]:
    from xlearning.client.preflight.archive_content import ENDINGS, TAR_GZ, ZIP, Bad, inspect

    uri, path = item.resource.uri, _path(item)
    named = next((kind for end, kind in ENDINGS.items() if uri.lower().endswith(end)), "")
    if on_yarn and not named:
        ends = ", ".join(ENDINGS)
        yield Problem(
            f"archive {uri}: YARN unpacks by the end of the name, and knows none like this",
            f"pack it as one of {ends}: {_REPACK.removeprefix('pack it again, ')}",
        )
    if not item.upload or not os.access(path, os.R_OK, effective_ids=True):
        return
    try:
        kind = inspect(path)
    except Bad as error:
        yield Problem(f"archive {path} {error}", _REPACK)
        return
    zipped = ZIP in (kind, named)  # here, as there, a zip is known by its name; a tar by its content
    if named and kind != named and (on_yarn or zipped):
        end = {ZIP: ".zip", TAR_GZ: ".tar.gz"}.get(kind)
        fix = f"let its name end in {end}" if end else _REPACK
        yield Problem(f"archive {path} is a {kind}, but its name is that of a {named}", fix)


def _name(name: str) -> Iterator[Problem]:
    bad = sorted(_EXPANDED & set(name))
    if bad:
        yield Problem(
            f"{name!r}: a shell on the node would misread the name of this file, for the "
            f"{' '.join(map(repr, bad))} in it",
            "rename the file, or give it another name with PATH#NAME where the option takes one",
        )


def _path(item: Shipped) -> Path:
    return Path(split_uri(item.resource.uri)[2])
