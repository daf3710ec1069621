"""Calls with a deadline."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from xlearning.fs.deadline import DeadlineCaller, DeadlineExceeded


def test_results_and_errors_come_back() -> None:
    caller = DeadlineCaller("test", 1)
    assert caller.call(lambda: 42, 30) == 42
    with pytest.raises(ZeroDivisionError):
        caller.call(lambda: 1 // 0, 30)
    with pytest.raises(SystemExit):
        caller.call(sys.exit, 30)
    assert caller.call(threading.current_thread, 30).daemon


def test_a_hung_call_costs_its_slot_until_it_ends() -> None:
    caller, release, ended = DeadlineCaller("test", 1), threading.Event(), threading.Event()

    def hang() -> None:
        release.wait(60)
        ended.set()

    with pytest.raises(DeadlineExceeded):
        caller.call(hang, 0.01)
    with pytest.raises(DeadlineExceeded):
        caller.call(lambda: 42, 0.01)
    release.set()
    assert ended.wait(30)
    assert caller.call(lambda: 42, 30) == 42


def test_a_hung_call_does_not_hold_up_the_end() -> None:
    script = """
import threading
from xlearning.fs.deadline import DeadlineCaller, DeadlineExceeded
try:
    DeadlineCaller("test", 1).call(threading.Event().wait, 0.01)
except DeadlineExceeded:
    print("over")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "over\n")
