"""What skein takes from ``distutils``, which Python 3.12 and newer have no more."""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
import types


@functools.total_ordering
class LooseVersion:
    """A version that can be compared, as far as it is made of numbers."""

    def __init__(self, text: str) -> None:
        self.version = [int(number) for number in re.findall(r"\d+", text)]

    def __eq__(self, other: object) -> bool:
        return self.version == _version(other)

    def __lt__(self, other: object) -> bool:
        return self.version < _version(other)

    def __hash__(self) -> int:
        return hash(tuple(self.version))


def provide_distutils() -> None:
    """Make ``from distutils.version import LooseVersion`` work where nothing else does.

    setuptools brings a ``distutils`` by a hook that works in an environment, not in a package that
    nodes find along PYTHONPATH; and it is large.
    """
    if "distutils" in sys.modules or importlib.util.find_spec("distutils") is not None:
        return
    package, version = types.ModuleType("distutils"), types.ModuleType("distutils.version")
    package.__path__ = []
    version.LooseVersion = LooseVersion  # type: ignore[attr-defined]
    package.version = version  # type: ignore[attr-defined]
    sys.modules |= {"distutils": package, "distutils.version": version}


def _version(other: object) -> list[int]:
    return other.version if isinstance(other, LooseVersion) else LooseVersion(str(other)).version
