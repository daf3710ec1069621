"""Names inside the working folder that come from elsewhere: they never lead out of it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from xlearning.errors import UsageError


def inside(work: Path, name: str, what: str) -> Path:
    """The path ``name`` below ``work``.

    Raises
    ------
    UsageError
        ``name`` is absolute or climbs out with ``..``; ``what`` says in the message what it is.
    """
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise UsageError(
            f"{what} {name!r} is not a path inside the working folder",
            hint="use a relative name without '..'",
        )
    return work / path


def write(work: Path, name: str, text: str) -> None:
    """Write the small file ``name`` of ours below ``work``.

    A link of that name is replaced, never written through: on YARN what a job ships is a link to a file
    that the containers of a node share.

    Raises
    ------
    UsageError
        ``name`` leads out of the folder, or what the job brings along is in its way.
    """
    path = inside(work, name, "file")
    inner = [folder for folder in path.parents if folder.is_relative_to(work) and folder != work]
    taken = [part for part in (*reversed(inner), path) if _in_the_way(part, folder=part != path)]
    if taken:
        raise UsageError(
            f"{taken[0].relative_to(work)} in the working folder is something that the job brings along; "
            f"the application type needs the name for {name}",
            hint="give what you ship, or the local folder of the input or output, another name",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


def _in_the_way(path: Path, *, folder: bool) -> bool:
    if folder:
        return path.is_symlink() or (path.exists() and not path.is_dir())
    return path.is_dir()
