"""What xl-submit keeps on this machine, and the folders it works in for a while."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def cache_root(environ: Mapping[str, str]) -> Path:
    """The folder of all that xl-submit keeps on this machine."""
    base = environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    return Path(base, "xlearning")
