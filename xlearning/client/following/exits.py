"""What usually helps after an exit code, and the reserved exit codes of our own processes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from xlearning.cluster import exit_words, yarn_words
from xlearning.job import WORKER

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
NODES, THIS_MACHINE = "the nodes", "this machine"
_EXITED = re.compile(r"exit ?code:? (\d+)", re.IGNORECASE)
_MEMORY_HINT = "it may have run out of memory: {more} gives it more"
_OVER_LIMIT_HINT = (
    "{more} gives it more; the agent (about 60 MB) and TensorBoard (about 100 MB, "
    "--board-enable false turns it off) count too"
)
_PREEMPTED_HINT = (
    "its queue had more than its share: run it again later or in a queue with room (--queue); "
    "xlearning.app.max.attempts tries a job again by itself"
)
_LOST_HINT = "run it again; xlearning.app.max.attempts tries a job again by itself"
_TERM_HINT = "it was told to end: by the program itself, by somebody, or by its node going down"
_IMAGE_HINT = "name a program that the image has, or ship it with --files and write ./NAME"
_SEGV_HINT = "a native library crashed; the log may name it"
_MODULE_HINT = (
    "the Python that your command uses has no module {module}: --files {file}.py ships one of your own; "
    "others are to be installed on {where}, or travel in an environment (--archives)"
)
_DATA = ("its input could not be ", "its output could not be ")  # why the agent has stopped the program
_OWN = "xlearning: "  # how lines of ours in the program's place begin, which tell the way out themselves
_MODULE = re.compile(r"(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)")
_NOT_STARTED = re.compile(
    r"(?P<path>\S.*?)(?P<why> is not executable| is a folder|: the interpreter that .* missing)$"
)
_INSTEAD = re.compile(r"; (\S+) is there")
_NOT_IN_IMAGE = re.compile(r"executable file\b.* not found in \$PATH")  # Docker's words, and Podman's
_SCRIPT = re.compile(r"can't open file '(?:[^']*/)?([^'/]+)'")


def hint(
    code: int | None, last_lines: Sequence[str], reason: str = "", where: str = NODES, role: str = WORKER
) -> str:
    """What to try, from exit code, last output and reason; empty when nothing is known, or all is said.

    Parameters
    ----------
    where : str
        What the machines are called on which the program ran: `NODES` or `THIS_MACHINE`.
    role : str
        Of the container.
    """
    more = exit_words.memory_option(role)
    if reason.startswith((exit_words.OUT_OF_MEMORY, *_DATA)):
        return ""
    if "physical memory used" in reason:
        return _OVER_LIMIT_HINT.format(more=more)
    if code == exit_words.PREEMPTED or yarn_words.PREEMPTION in reason:
        return _PREEMPTED_HINT
    if code == exit_words.LOST or yarn_words.NODE_LOST in reason:
        return _LOST_HINT
    if last_lines and last_lines[-1].startswith(_OWN):
        return ""
    text = "\n".join(last_lines)
    module = _MODULE.search(text)
    if module:
        return _MODULE_HINT.format(module=module.group(1), file=module.group(1).split(".")[0], where=where)
    script = _SCRIPT.search(text)
    if script:
        return f"is {script.group(1)} shipped? --files {script.group(1)} puts it into the working folder"
    if code in (137, exit_words.OVER_VIRTUAL, exit_words.OVER_MEMORY) or "MemoryError" in text:
        return _MEMORY_HINT.format(more=more)
    if code == 139:
        return _SEGV_HINT
    if code == 143:
        return _TERM_HINT
    if code in (exit_words.NOT_EXECUTABLE, exit_words.NOT_FOUND):
        return _IMAGE_HINT if _NOT_IN_IMAGE.search(text) else _absent(reason, where)
    return ""


def _absent(reason: str, where: str) -> str:
    if found := _NOT_STARTED.search(reason):
        return _unfit(found["path"], found["why"])
    there = _INSTEAD.search(reason)
    if there:
        return (
            f"write {there.group(1)}, which is there; xlearning.container.env.PATH sets the PATH of programs"
        )
    return (
        f"name a program that is on the PATH of {where} (xlearning.container.env.PATH sets it), or ship it "
        "with --files and write ./NAME"
    )


def _unfit(path: str, why: str) -> str:
    """What to do about a program that is there and that the kernel does not start."""
    program, written = "python3" if path.endswith(".py") else "bash", shlex.quote(path)
    if "folder" in why:
        return "a folder cannot be run: name a program in it"
    if "interpreter" in why:
        return f"correct the first line of {written} (#!), or write {program} {written}"
    return f"make it executable with chmod +x {written}, or write {program} {written}"


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
