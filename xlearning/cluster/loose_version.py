"""The one thing that skein takes from distutils, which Python 3.12 no longer has.

Where setuptools is installed, an import of distutils loads all of it: a third of a second, and a
deadlock when another thread imports something meanwhile, because setuptools hooks into the search
for modules, during which Python holds its global import lock.
"""

from __future__ import annotations

import contextlib
import re
import sys
import threading
import types
from collections.abc import Iterator

_NAMES = ("distutils", "distutils.version")
_lock = threading.Lock()


class LooseVersion:
    """A version that is compared with the text of another one."""

    def __init__(self, text: str) -> None:
        self._numbers = _numbers(text)

    def __lt__(self, other: str) -> bool:
        return self._numbers < _numbers(other)


@contextlib.contextmanager
def without_distutils() -> Iterator[None]:
    """Inside, ``from distutils.version import LooseVersion`` gives ours; afterwards all is as before."""
    with _lock:
        before = {name: sys.modules.get(name) for name in _NAMES}
        package, version = (types.ModuleType(name) for name in _NAMES)
        version.LooseVersion = LooseVersion  # type: ignore[attr-defined]
        sys.modules.update(zip(_NAMES, (package, version), strict=True))
        try:
            yield
        finally:
            for name, module in before.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module


def _numbers(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text)]
