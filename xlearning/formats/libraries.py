"""Libraries that only some formats, codecs and file systems need: optional, and loaded when they are used."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from xlearning.errors import UsageError

_SHOWN = 3


class _Library(NamedTuple):
    """The extra of xlearning that brings a package, and its modules; the first one that is there is used."""

    extra: str
    modules: tuple[str, ...]


# package, as it is called in setup.cfg -> what is known about it; one line each
_LIBRARIES = {
    "aiohttp": _Library("", ("aiohttp",)),
    "backports.zstd": _Library("codecs", ("compression.zstd", "backports.zstd")),
    "cramjam": _Library("codecs", ("cramjam",)),
    "fastavro": _Library("avro", ("fastavro",)),
    "fsspec": _Library("s3", ("fsspec",)),
    "google-crc32c": _Library("tfrecord", ("google_crc32c",)),
    "isal": _Library("codecs", ("isal.isal_zlib",)),
    "jpype1": _Library("java", ("jpype",)),
    "nvidia-ml-py": _Library("gpu", ("pynvml",)),
    "paramiko": _Library("", ("paramiko",)),
    "pyarrow": _Library("parquet", ("pyarrow",)),
    "s3fs": _Library("s3", ("s3fs",)),
    "tensorboard": _Library("", ("tensorboard",)),  # every gateway has it; nodes where it is wanted
}


def available(package: str) -> bool:
    """Whether this Python has ``package``; it is not loaded for it."""
    return any(_exists(module) for module in _LIBRARIES[package].modules)


def load(package: str, module: str = "") -> Any:
    """The module of ``package``, or its module called ``module``.

    Raises
    ------
    UsageError
        It is not installed, or does not load.
    """
    if sys.modules.get("ssl", sys) is None:
        del sys.modules["ssl"]  # agents do without it, but libraries may look for it while they load
    for name in (module,) if module else _LIBRARIES[package].modules:
        if _exists(name):
            try:
                return importlib.import_module(name)
            except ImportError as error:
                why = f"the Python package {package} cannot be loaded: {error}"
                raise UsageError(why, hint=way_out((package,))) from error
    raise UsageError(f"the Python package {package} is not installed", hint=way_out((package,)))


def way_out(packages: Iterable[str]) -> str:
    """How to install ``packages``."""
    names = sorted(packages)
    extras = ",".join(sorted({_LIBRARIES[name].extra for name in names} - {""}))
    plain = [name for name in names if not _LIBRARIES[name].extra]
    return " ".join(("pip install", *([f"'xlearning[{extras}]'"] if extras else ()), *plain))


def check(needed: Mapping[str, Sequence[str]]) -> None:
    """See that everything is there before anything is read.

    Parameters
    ----------
    needed : mapping
        Package -> what needs it, in words, such as the names of files.

    Raises
    ------
    UsageError
        Naming all packages that are missing.
    """
    missing = {package: users for package, users in needed.items() if not available(package)}
    if missing:
        parts = [f"{package} (for {_some(users)})" for package, users in sorted(missing.items())]
        verb = "is" if len(parts) == 1 else "are"
        raise UsageError(f"not installed here {verb} {', '.join(parts)}", hint=way_out(missing))


def _some(users: Sequence[str]) -> str:
    more = f" and {len(users) - _SHOWN} more" if len(users) > _SHOWN else ""
    return ", ".join(users[:_SHOWN]) + more


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it
        return False
