"""YARN's and skein's diagnostics in words for people. Pure; what is not recognised stays as it is."""

from __future__ import annotations

import re

from xlearning.cluster.exit_words import killed_by, memory_property, out_of_memory, words

_STAMP = re.compile(r"^\[\d{4}-\d\d-\d\d [\d:.]+\]\s*")
_PHYSICAL = re.compile(r"([\d.]+ ?[KMGT]?B) of ([\d.]+ ?[KMGT]?B) physical memory used")
_VIRTUAL = re.compile(r"([\d.]+ ?[KMGT]?B) of ([\d.]+ ?[KMGT]?B) virtual memory used")
_FAILED_IN_CONTAINER = "Container failed during execution"
_STACK = re.compile(r"\n(?:[\w$]+\.)+[\w$]*(?:Exception|Error)\b|\n\s+at [\w.$]+\(")
_DRIVER = re.compile(r"Application driver failed with exit code (\d+)")
_KILLED = re.compile(
    r"^Application \S+ was killed by user (\S+)(?: at \S+)?(?: with diagnostic message: (.*))?$", re.DOTALL
)
_AM = re.compile(r"AM Container for \S+ exited with\s+exitCode: (-?\d+)")
_CAUSE = re.compile(r"Diagnostics: ?(.*)", re.DOTALL)
_LOST = ("*lost* node", "lost node")
_PREEMPTED = "preempted by scheduler"
NODE_LOST = "its node was lost"
PREEMPTION = "(preemption)"
_BY_SIGNAL = "Application master shutdown by external signal"
_AM_MEMORY = "xlearning.am.memory (--am-memory)"
_ALLOCATOR = "Failure in container allocator:"
_SUBMISSION = "Failed to submit application, exception:"
_QUEUE = re.compile(r"to unknown queue: (\S+)")
_NO_LABELS = "node label not enabled"
_LOCALIZED = "FSDownload"


def container_end(message: str, role: str) -> str:
    """Why a container ended, from skein's message about it."""
    found = _PHYSICAL.search(message)
    if found:
        return out_of_memory(f"{found.group(1)} of {found.group(2)}", role)
    found = _VIRTUAL.search(message)
    if found:
        return (
            f"YARN ended it for its virtual memory: {found.group()}; raise {memory_property(role)}, or let "
            "the cluster's administrator set yarn.nodemanager.vmem-check-enabled to false"
        )
    if message.startswith(_FAILED_IN_CONTAINER):
        return "its agent ended with an error; the container's log tells why"
    if _LOCALIZED in message:
        return f"its files could not be put in place on the node: {first_cause(message)}"
    if is_lost(message):
        return f"{NODE_LOST}: YARN has not heard of it for a while"
    if _PREEMPTED in message:
        return f"YARN took it away for another queue or application {PREEMPTION}"
    return first_cause(message)


def is_lost(message: str) -> bool:
    """Whether the container's node is gone, so that its processes may still run."""
    return any(part in message for part in _LOST)


def application_end(diagnostics: str) -> str:
    """Why an application ended, where its ApplicationMaster could not tell it itself."""
    driver = _DRIVER.search(diagnostics)
    if driver:
        return f"the ApplicationMaster ended unexpectedly: {_exit(int(driver.group(1)))}"
    killed = _KILLED.search(diagnostics)
    if killed:
        user, said = killed.group(1), (killed.group(2) or "").strip()
        return said if said.startswith("killed by ") else killed_by(user, said)
    if diagnostics.startswith(_BY_SIGNAL):
        return (
            "the ApplicationMaster was stopped from outside: by a user or an administrator, by YARN for the "
            f"sake of its node or of another queue, or for its memory ({_AM_MEMORY})"
        )
    if diagnostics.startswith(_ALLOCATOR):
        return f"YARN refused a container: {first_cause(diagnostics.removeprefix(_ALLOCATOR))}"
    found = _AM.search(diagnostics)
    if not found:
        return diagnostics
    memory = _PHYSICAL.search(diagnostics)
    if memory:
        return f"YARN ended the ApplicationMaster for its memory: {memory.group()}; raise {_AM_MEMORY}"
    code = int(found.group(1))
    cause = _CAUSE.search(diagnostics)
    told = first_cause(cause.group(1)) if cause else ""
    if code == -1000:
        return f"the ApplicationMaster's files could not be put in place on the node: {told}"
    if code > 0:
        return f"the ApplicationMaster's container ended unexpectedly: {_exit(code)}"
    return f"the ApplicationMaster's container ended unexpectedly ({words(code)}): {told}"


def refusal(text: str) -> str:
    """Why YARN, or skein before it, refused something."""
    queue = _QUEUE.search(text)
    if queue:
        return f"YARN has no queue {queue.group(1)} (--queue, xlearning.app.queue)"
    told = first_cause(text.removeprefix(_SUBMISSION))
    if _NO_LABELS in told:
        return "this cluster has no node labels (xlearning.*.nodeLabelExpression)"
    return told or "no reason was given"


def first_cause(text: str) -> str:
    """The first sentence of diagnostics, without time stamps and without the stack trace below it."""
    text = text.strip()
    first = _STACK.split(text, maxsplit=1)[0] or text
    return " ".join(_STAMP.sub("", first).split())[:1000]


def _exit(code: int) -> str:
    told = words(code)
    if code in (137, 143):
        told += f"; if nobody did that, it may have run out of memory: raise {_AM_MEMORY}"
    return told
