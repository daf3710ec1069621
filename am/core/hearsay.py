"""Last words of a program that failed because another one had: of a connection, not of the cause."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Of gloo, NCCL, torch's store, gRPC (TensorFlow), XGBoost, LightGBM, Horovod, ps-lite, Python and the system.
_WORDS = re.compile(
    r"connection ?(was )?(closed|reset|refused|aborted|lost)|broken ?pipe"
    r"|socket (closed|recv error|send error)|remote end closed|^EOFError$"
    r"|remote (worker|process|peer)|src/collective/|one of the ranks|got 0 bytes"
    r"|failed to connect to all addresses|\bUNAVAILABLE\b|collective ops is aborted"
    r"|lost the parameter server",
    re.IGNORECASE,
)


def tells_of_others(last_lines: Sequence[str]) -> bool:
    """Whether the last lines of a program's output are about one that it has lost."""
    return any(_WORDS.search(line) for line in last_lines)
