"""Other Python interpreters of this machine, for what must also run, or be refused, on those."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from pathlib import Path

_OLDEST, _NEWEST = 6, 14  # minor versions
_PYENV = Path("~/.pyenv/versions").expanduser()


@functools.cache
def version_of(python: Path) -> tuple[int, int]:
    """Its version; (0, 0) of what does not run."""
    words = [str(python), "-I", "-c", "import sys; print(*sys.version_info[:2])"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    major, minor = (done.stdout.split() or ["0", "0"])[:2]
    return int(major), int(minor)


@functools.cache
def other_pythons() -> tuple[Path, ...]:
    """One interpreter of each version that is not the one of the tests, the oldest first."""
    found: dict[tuple[int, int], Path] = {}
    for minor in range(_OLDEST, _NEWEST + 1):
        name = f"python3.{minor}"
        candidates = [*_PYENV.glob(f"*/bin/{name}"), *(Path(p) for p in (shutil.which(name),) if p)]
        for path in candidates:
            version = version_of(path)
            if version == (3, minor) != sys.version_info[:2]:
                found.setdefault(version, path)
    return tuple(path for _, path in sorted(found.items()))
