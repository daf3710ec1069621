"""XLearning: run any training command, unchanged, in many containers.

>>> from xlearning import Client, Job
>>> with Client() as client:
...     client.submit(Job("python train.py", worker_num=4)).wait().check()
"""

from __future__ import annotations

# Every program of ours begins with this module, so it loads no other one: not even typing, for its constant,
# which type checkers know by its name.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from xlearning.client.api.application import Application, Result
    from xlearning.client.api.client import Client, submit
    from xlearning.client.api.job import Job
    from xlearning.client.api.logs import LogLine
    from xlearning.errors import JobFailed, UsageError, WaitTimeout, XLearningError
    from xlearning.job import AppState, Snapshot

__version__ = "0.1.0"
__all__ = [
    "AppState",
    "Application",
    "Client",
    "Job",
    "JobFailed",
    "LogLine",
    "Result",
    "Snapshot",
    "UsageError",
    "WaitTimeout",
    "XLearningError",
    "__version__",
    "submit",
]

# ApplicationMaster and agents import this package too, so what users need is loaded when it is named.
_HOMES = {
    "AppState": "xlearning.job",
    "Application": "xlearning.client.api.application",
    "Client": "xlearning.client.api.client",
    "Job": "xlearning.client.api.job",
    "JobFailed": "xlearning.errors",
    "LogLine": "xlearning.client.api.logs",
    "Result": "xlearning.client.api.application",
    "Snapshot": "xlearning.job",
    "UsageError": "xlearning.errors",
    "WaitTimeout": "xlearning.errors",
    "XLearningError": "xlearning.errors",
    "submit": "xlearning.client.api.client",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
