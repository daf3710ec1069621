"""How the C library keeps the memory of the agent."""

from __future__ import annotations

import ctypes

_ARENA_MAX = -8  # M_ARENA_MAX of mallopt(3)


def share_one_arena() -> None:
    """Let all threads take memory from one place; to be called before there are any.

    By default glibc gives threads arenas of their own, each of which keeps what its threads have once used.
    The pieces of an input wander through many threads, and 16 MB were kept so for nothing.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # other C libraries have no arenas
        mallopt(_ARENA_MAX, 1)
