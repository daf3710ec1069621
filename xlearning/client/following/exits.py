"""Exit codes of programs and containers in words, and what usually helps."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

_KNOWN = {
    1: "the program reported an error",
    2: "the program was called the wrong way, or reported an error",
    126: "the command was found but cannot be executed",
    127: "the command was not found",
    -100: "the container was lost with its node, or taken back",
    -102: "the container was taken away for another queue",
    -103: "the container used more virtual memory than it asked for",
    -104: "the container used more memory than it asked for",
    -1000: "its files could not be put in place",
}
# What container/bootstrap.py and the start scripts end with when xlearning itself cannot run on a node.
RESERVED = {
    230: (
        "{python} on the node is too old for xlearning",
        "set xlearning.python to an interpreter of version 3.10 or newer that all nodes have",
    ),
    231: (
        "a Python package that xlearning needs is missing or broken on the node",
        "the log of that container names it; if the nodes are not like this machine, set "
        "xlearning.nodes.python and xlearning.nodes.glibc",
    ),
    232: ("xlearning failed unexpectedly on the node", "the log of that container has the traceback"),
    233: (
        "there is no {python} on the node",
        "set xlearning.python to the path of one that all nodes have, and xlearning.nodes.python to its "
        "version",
    ),
    234: (
        "{python} on the node is of another version than the package for the nodes",
        "set xlearning.nodes.python to its version, or xlearning.python to another interpreter; a package "
        "that xlearning.yarn.archive names has to be made for it (xl-submit package --python)",
    ),
    235: (
        "the C library of the node is older than the package for the nodes needs",
        "set xlearning.nodes.glibc to the version that ldd --version shows there",
    ),
    236: (
        "the node's processor is not of the kind that the package for the nodes is made for",
        "submit from a machine of the nodes' kind, or to a queue or label whose nodes are like it",
    ),
}
_EXITED = re.compile(r"exit ?code:? (\d+)", re.IGNORECASE)
_MEMORY_HINT = "it may have run out of memory: give its role more, such as --worker-memory 4g"
_OVER_LIMIT_HINT = (
    "give its role more, such as --worker-memory 4g; the agent (about 60 MB) and TensorBoard (about 100 MB, "
    "--board-enable false turns it off) count too"
)
_SEGV_HINT = "a native library crashed; the log may name it"
_MODULE = re.compile(r"(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)")
_SCRIPT = re.compile(r"can't open file '(?:[^']*/)?([^'/]+)'")


def words(code: int) -> str:
    """``exit code 3``, ``exit code 137: killed by SIGKILL``."""
    if code in _KNOWN:
        return f"exit code {code}: {_KNOWN[code]}"
    if 128 < code <= 128 + signal.NSIG:
        return f"exit code {code}: killed by {_signal_name(code - 128)}"
    return f"exit code {code}"


def hint(code: int | None, last_lines: Sequence[str], reason: str = "") -> str:
    """What to try, from exit code, last output and reason; empty when nothing is known."""
    if "physical memory used" in reason:
        return _OVER_LIMIT_HINT
    text = "\n".join(last_lines)
    module = _MODULE.search(text)
    if module:
        return f"the Python that your command uses has no module {module.group(1)}"
    script = _SCRIPT.search(text)
    if script:
        return f"is {script.group(1)} shipped? --files {script.group(1)} puts it into the working folder"
    if code in (137, -103, -104) or "MemoryError" in text:
        return _MEMORY_HINT
    if code == 139:
        return _SEGV_HINT
    if code in (126, 127):
        return "name a program that is on the PATH of the nodes, or ship it with --files and write ./NAME"
    return ""


def reserved(text: str, python: str = "") -> tuple[str, str]:
    """Words and a hint for an exit code of ours in what the back end says; empty where it names none.

    Parameters
    ----------
    text : str
        Diagnostics of an application or a container.
    python : str
        Interpreter on the nodes.
    """
    for code in _EXITED.findall(text):
        if int(code) in RESERVED:
            said, fix = RESERVED[int(code)]
            return said.format(python=python or "the Python of xlearning.python"), fix
    return "", ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
