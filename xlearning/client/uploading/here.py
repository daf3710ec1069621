"""What xl-submit keeps on this machine, and what dead clients have left here."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from xlearning.cluster import scratch
from xlearning.trees import remove_tree

WHEELS = "wheels"
DRAFT = "draft-"
_DAY = 86400.0  # seconds
_KEPT = {False: 30 * _DAY, True: _DAY}  # wheels after their last use; what somebody began to fetch


def cache_root(environ: Mapping[str, str]) -> Path:
    """The folder of all that xl-submit keeps on this machine."""
    base = environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    return Path(base, "xlearning")


def sweep_here(environ: Mapping[str, str], now: float) -> None:
    """Remove temporary folders of dead clients, and wheels that were not used for a month.

    Nothing depends on it: what cannot be removed stays.

    Parameters
    ----------
    now : float
        Seconds since 1970.
    """
    scratch.sweep(now)
    with contextlib.suppress(OSError):
        for folder in (cache_root(environ) / WHEELS).iterdir():
            if now - folder.stat().st_mtime > _KEPT[folder.name.startswith(DRAFT)]:
                remove_tree(folder)
