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
