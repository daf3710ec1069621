"""pytest with the given words; environments with frameworks are built beside its first tests.

A build that fails is told by the tests that need it; one that is not done ends with pytest.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

FRAMEWORKS = Path(__file__).resolve().parents[1] / "tests" / "frameworks.py"
# The slowest ones first; what only `large` tests need is left to these.
NAMES = ("tensorflow", "torch", "mxnet", "boosting", "mpi")


def main() -> None:
    """Exit as pytest does."""
    builder = subprocess.Popen(
        [sys.executable, FRAMEWORKS, *NAMES], stdin=subprocess.DEVNULL, start_new_session=True
    )
    tests = subprocess.Popen([sys.executable, "-m", "pytest", *sys.argv[1:]])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells pytest too
    signal.signal(signal.SIGTERM, lambda *_: tests.terminate())
    code = tests.wait()
    if builder.poll() is None:
        os.killpg(builder.pid, signal.SIGTERM)
        builder.wait()
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
