"""What the cluster's nodes run, as far as our package must fit it. Pure but for `gateway`."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from xlearning.config import Config
from xlearning.errors import ConfigError

PYTHON, GLIBC, INTERPRETER = "xlearning.nodes.python", "xlearning.nodes.glibc", "xlearning.python"
OLDEST_PYTHON = (3, 10)
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+\w*)?")
_IN_NAME = re.compile(r"python(\d+\.\d+)$")
_MANYLINUX = re.compile(r"manylinux_(\d+)_(\d+)_")
_OLD_NAMES = {"manylinux1_": (2, 5), "manylinux2010_": (2, 12), "manylinux2014_": (2, 17)}
_OLDEST_GLIBC = 5  # of 2.x, the first that wheels are built for

Version = tuple[int, int]


def text(version: Version) -> str:
    """``3.11``."""
    return f"{version[0]}.{version[1]}"


@dataclass(frozen=True)
class Nodes:
    """Python, C library and processor of the nodes.

    Attributes
    ----------
    glibc : (int, int) or None
        None where the C library is another one.
    machine : str
        As ``uname -m`` says it.
    """

    python: Version
    glibc: Version | None
    machine: str

    def __str__(self) -> str:
        libc = f"glibc {text(self.glibc)}" if self.glibc else "no glibc"
        return f"Python {text(self.python)}, {libc}, {self.machine}"

    @property
    def abi(self) -> str:
        """``cp311``."""
        return f"cp{self.python[0]}{self.python[1]}"

    @property
    def markers(self) -> dict[str, str]:
        """What differs from the gateway for the markers of requirements."""
        return {
            "python_version": text(self.python),
            "python_full_version": f"{text(self.python)}.0",
            "platform_machine": self.machine,
            "extra": "",
        }

    @property
    def platforms(self) -> list[str]:
        """Tags of the platforms whose wheels run here, the newest first."""
        if self.glibc is None:
            return [f"linux_{self.machine}"]
        minors = range(self.glibc[1], _OLDEST_GLIBC - 1, -1)
        found = [f"manylinux_2_{minor}_{self.machine}" for minor in minors]
        return found + [f"{old}{self.machine}" for old, since in _OLD_NAMES.items() if since <= self.glibc]


def gateway() -> Nodes:
    """This machine."""
    return Nodes(sys.version_info[:2], _own_glibc(), platform.machine())


def configured(config: Config, here: Nodes) -> Nodes:
    """The nodes as the properties describe them; what is not set is as it is ``here``.

    Raises
    ------
    xlearning.errors.ConfigError
        A value is no version, or too old.
    """
    python = _version(config, PYTHON) or _by_name(config.get(INTERPRETER)) or here.python
    if python < OLDEST_PYTHON:
        raise ConfigError(
            f"xlearning needs Python {text(OLDEST_PYTHON)} or newer on the nodes, not {text(python)}",
            hint=f"let {INTERPRETER} and {PYTHON} name a newer one",
        )
    return Nodes(python, _version(config, GLIBC) or here.glibc, here.machine)


def interpreter(config: Config, nodes: Nodes, here: Nodes) -> str:
    """Path of the nodes' interpreter.

    Raises
    ------
    xlearning.errors.ConfigError
        None is named, and the one that runs here cannot be it.
    """
    given = config.get(INTERPRETER)
    if given:
        return str(given)
    if nodes.python != here.python:
        raise ConfigError(
            f"{PYTHON} is {text(nodes.python)}, and nothing says where that Python is on the nodes",
            hint=f"set {INTERPRETER}, such as /usr/bin/python{text(nodes.python)}",
        )
    return os.path.realpath(sys.executable)


def needed_glibc(tags: Iterable[str], here: Nodes) -> Version | None:
    """The oldest glibc that a wheel with these tags runs on; None when it needs none.

    A wheel that was built on this machine, without a promise, needs what this machine has.
    """
    found = []
    for tag in tags:
        platform_tag = tag.rpartition("-")[2]
        if platform_tag == "any":
            return None
        match = _MANYLINUX.match(platform_tag)
        if match:
            found.append((int(match.group(1)), int(match.group(2))))
        elif old := [since for name, since in _OLD_NAMES.items() if platform_tag.startswith(name)]:
            found += old
    return min(found, default=here.glibc)


def _version(config: Config, name: str) -> Version | None:
    value = config.get(name)
    if not value:
        return None
    match = _VERSION.fullmatch(str(value).strip())
    if match is None:
        raise ConfigError(f"{name}={value} is not a version", hint="write it as in 3.11 or 2.28")
    return int(match.group(1)), int(match.group(2))


def _by_name(path: str | None) -> Version | None:
    """``/usr/bin/python3.12`` tells its version."""
    match = _IN_NAME.search(path or "")
    if match is None:
        return None
    major, _, minor = match.group(1).partition(".")
    return int(major), int(minor)


def _own_glibc() -> Version | None:
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (ValueError, OSError):
        return None
    match = _VERSION.fullmatch(version)
    return (int(match.group(1)), int(match.group(2))) if name == "glibc" and match else None
