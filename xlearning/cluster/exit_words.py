"""Exit codes of programs, containers and our own processes in words. Pure; the one table of them."""

from __future__ import annotations

import signal

NOT_EXECUTABLE, NOT_FOUND = 126, 127

# What YARN's ContainerExitStatus says of a container.
_YARN = {
    -100: "the container was lost with its node, or given back",
    -101: "the node's disks failed",
    -102: "YARN took the container away for another queue or application (preemption)",
    -103: "the container used more virtual memory than it may",
    -104: "the container used more memory than it asked for",
    -105: "the ApplicationMaster ended the container",
    -106: "YARN's ResourceManager ended the container",
    -107: "the application had ended",
    -108: "the node ended the container for one that goes before it",
    -109: "the container's logs grew too large",
    -1000: "its files could not be put in place on the node",
}
_PROGRAM = {
    NOT_EXECUTABLE: "command cannot be executed",
    NOT_FOUND: "command not found",
}
_SIGNALS = {
    signal.SIGABRT: "aborted",
    signal.SIGBUS: "bus error",
    signal.SIGFPE: "arithmetic error",
    signal.SIGHUP: "hung up",
    signal.SIGILL: "illegal instruction",
    signal.SIGINT: "interrupted",
    signal.SIGKILL: "killed",
    signal.SIGPIPE: "broken pipe",
    signal.SIGSEGV: "segmentation fault",
    signal.SIGTERM: "terminated",
    signal.SIGXCPU: "processor time limit exceeded",
    signal.SIGXFSZ: "file size limit exceeded",
}
OUT_OF_MEMORY = "out of memory"
LOST, PREEMPTED, OVER_VIRTUAL, OVER_MEMORY, LOGS_TOO_LARGE = -100, -102, -103, -104, -109


def words(code: int) -> str:
    """``exit code 3``, ``exit code 137: killed (SIGKILL)``, ``exit code -102: YARN took ...``.

    Parameters
    ----------
    code : int
        As the shell counts (128 + n for signal n), or one of YARN's, which are negative.
    """
    told = _YARN.get(code) or _PROGRAM.get(code) or _by_signal(code - 128)
    return f"exit code {code}" + (f": {told}" if told else "")


def memory_property(role: str) -> str:
    """The property that sets the memory of a role's containers."""
    name = {"chief": "chief.worker", "evaluator": "evaluator.worker"}.get(role, role)
    return f"xlearning.{name}.memory"


def memory_option(role: str) -> str:
    """What to write to set it, and the property's name."""
    name = memory_property(role)
    if role == "scheduler":  # it has no option of its own
        return f"--conf {name}=MEMORY"
    option = name.removeprefix("xlearning.").replace(".", "-")
    return f"--{option} ({name})"


def out_of_memory(amount: str, role: str) -> str:
    """That a container was ended for its memory, and what helps; nothing is to be added to it.

    Parameters
    ----------
    amount : str
        How much it had of how much: ``900 of 1024 MB``.
    """
    return f"{OUT_OF_MEMORY}: {amount}; {memory_option(role)} gives it more"


def killed_by(user: str, reason: str) -> str:
    """Who killed an application, and why, as far as they said."""
    return f"killed by {user}: {reason}" if reason else f"killed by {user}"


def _by_signal(number: int) -> str:
    try:
        found = signal.Signals(number)
    except ValueError:
        return f"ended by signal {number}" if 0 < number <= signal.NSIG else ""
    return f"{_SIGNALS.get(found, 'ended by a signal')} ({found.name})"
