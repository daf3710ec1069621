"""First code of ours on a node: starts the agent or the ApplicationMaster, or says why it cannot.

``python bootstrap.py agent|am``. Standard library only, and written for Python 3.6, because its task
is to run where the node's Python or packages are not what the gateway expected. It ends with a
reserved exit code (`EXIT_WORDS`) and one sentence as the last line of standard error, which is where
YARN's diagnostics look.
"""

import importlib
import json
import os
import sys
import typing

MINIMUM = (3, 10)
WRONG_PYTHON, BROKEN_PACKAGE, FAILED_START = 230, 231, 232
NO_PYTHON, OTHER_PYTHON, OTHER_LIBC, OTHER_MACHINE = 233, 234, 235, 236
MANIFEST = "xlearning-package.json"  # beside our packages, where they were packed for a kind of nodes

EXIT_WORDS = {
    WRONG_PYTHON: f"the node's Python is older than {MINIMUM[0]}.{MINIMUM[1]}; "
    "set xlearning.python to another interpreter",
    BROKEN_PACKAGE: "a Python package that xlearning needs is missing or broken on the node",
    FAILED_START: "xlearning failed unexpectedly on the node",
    NO_PYTHON: "the Python interpreter is not there on the node; set xlearning.python to one that is",
    OTHER_PYTHON: "the package was made for another Python; set xlearning.nodes.python to the node's "
    "version, or xlearning.python to another interpreter, or make that of xlearning.yarn.archive again",
    OTHER_LIBC: "the package needs a newer C library; set xlearning.nodes.glibc to the node's version",
    OTHER_MACHINE: "the package was made for another processor",
}

PARTS = {"agent": "xlearning.container.__main__", "am": "xlearning.am.__main__"}


def main(part: str) -> int:
    """Run one part of xlearning.

    Parameters
    ----------
    part : str
        ``agent`` or ``am``.

    Returns
    -------
    int
        Exit code: that of the part, or one of `EXIT_WORDS`.
    """
    if sys.version_info < MINIMUM:
        return _fail(WRONG_PYTHON, f"the {part} cannot run")
    for made in _manifests():
        code, words = unfit(made)
        if code:
            return _fail(code, f"the {part} cannot run: {words}")
    try:
        return int(importlib.import_module(PARTS[part]).main() or 0)
    except (SystemExit, KeyboardInterrupt):
        raise
    except ImportError as error:
        return _fail(BROKEN_PACKAGE, f"the {part} cannot be imported: {error}", trace=True)
    except BaseException as error:  # noqa: BLE001 - a Rust panic of a library is no Exception
        return _fail(FAILED_START, f"the {part} failed: {type(error).__name__}: {error}", trace=True)


def unfit(made: "dict[str, typing.Any]") -> "tuple[int, str]":
    """Whether this node differs from what a package was made for.

    Parameters
    ----------
    made : dict
        Content of a `MANIFEST`.

    Returns
    -------
    (int, str)
        Exit code and reason; 0 where the node will do.
    """
    if made["abi"] != _abi():
        return OTHER_PYTHON, f"the package is for {made['abi']}, this Python is {_abi()}"
    machine = os.uname().machine
    if made["machine"] != machine:
        return OTHER_MACHINE, f"the package is for {made['machine']}, this node is {machine}"
    needed, libc = made["glibc"], _glibc()
    if needed and (libc is None or libc < tuple(needed)):
        has = "glibc " + ".".join(map(str, libc)) if libc else "another C library"
        return OTHER_LIBC, f"the package needs glibc {needed[0]}.{needed[1]}, this node has {has}"
    return 0, ""


def _manifests() -> "typing.Iterator[dict[str, typing.Any]]":
    """What the packages on the path were made for; none in local mode."""
    for folder in sys.path:
        path = os.path.join(folder, MANIFEST)  # noqa: PTH118
        if os.path.isfile(path):  # noqa: PTH113
            with open(path, encoding="utf-8") as file:
                yield json.load(file)


def _abi() -> str:
    """``cp311``, ``cp313t`` without the global lock, ``pypy311``."""
    name = sys.implementation.name
    prefix = "cp" if name == "cpython" else name
    version = f"{sys.version_info[0]}{sys.version_info[1]}"
    return prefix + version + getattr(sys, "abiflags", "").replace("m", "")


def _glibc() -> "tuple[int, ...] | None":
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (ValueError, OSError):
        return None
    return tuple(map(int, version.split(".")[:2])) if name == "glibc" else None


def _fail(code: int, words: str, trace: bool = False) -> int:
    import platform
    import traceback

    if trace:
        traceback.print_exc()
    sentence = " ".join(words.split())[:2000]
    libc = " ".join(platform.libc_ver()).strip() or "unknown C library"
    where = f"{sys.executable} on {platform.node()}, Python {platform.python_version()}, {libc}"
    sys.stderr.write(f"xlearning: {sentence} ({where}): {EXIT_WORDS[code]}\n")
    return code


def _forget_own_folder() -> None:
    """Take the folder of this script off the path: its modules would shadow others of the same name."""
    own = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != own]


def _do_without_ssl() -> None:
    """Keep asyncio from loading ssl, 4 MB that nobody in an agent uses: gRPC brings its own."""
    sys.modules["ssl"] = None  # type: ignore[assignment]


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PARTS:
        sys.exit("usage: bootstrap.py agent|am")
    _forget_own_folder()
    if sys.argv[1] == "agent" and not os.environ.get("XLEARNING_TLS"):  # see xlearning.cluster.base
        _do_without_ssl()
    sys.exit(main(sys.argv[1]))
