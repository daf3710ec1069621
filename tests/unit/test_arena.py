"""All threads of an agent take memory from one place."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import ctypes, threading
from xlearning.container.arena import share_one_arena
share_one_arena()
held, gate = [], threading.Barrier(5)
def take():
    held.append(b"x" * 100_000)
    gate.wait()
threads = [threading.Thread(target=take) for _ in range(4)]
for thread in threads: thread.start()
gate.wait()
for thread in threads: thread.join()
libc = ctypes.CDLL(None)
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


def test_threads_get_no_arenas_of_their_own() -> None:
    def heaps(program: str) -> int:
        words = [sys.executable, "-c", program]
        said = subprocess.run(words, check=True, stdout=subprocess.PIPE, timeout=60).stdout
        return said.count(b"<heap nr=")

    assert heaps(PROGRAM) == 1
    assert heaps(PROGRAM.replace("\nshare_one_arena()", "")) > 1
