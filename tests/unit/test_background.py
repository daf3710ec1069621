"""Calls beside others: waits that end, a driver that hangs at its end, signals before the id is known."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading

import pytest

from xlearning.client.following.interrupts import Interrupted, Interrupts
from xlearning.client.following.watch import Event, Interrupt
from xlearning.cluster import skein_driver
from xlearning.cluster.background import Background
from xlearning.errors import ClusterUnavailable


def test_a_wait_has_a_deadline_and_can_be_given_up() -> None:
    go = threading.Event()
    slow = Background("a slow call", lambda: go.wait(60))
    with pytest.raises(ClusterUnavailable, match=r"a slow call: no answer within 0\.05 s"):
        slow.result(0.05)

    def give_up() -> None:
        raise Interrupted(2)

    with pytest.raises(Interrupted):
        slow.result(60, give_up)
    assert not slow.wait(0)
    go.set()
    assert slow.result(60, give_up)
    assert slow.wait(0)


def test_the_error_of_the_call_arrives() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Background("a call", fail).result(60)


class Driver:
    """What skein's client is at its end: a process that shall leave when its input ends."""

    def __init__(self, program: str) -> None:
        self._proc: subprocess.Popen[bytes] | None = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, start_new_session=True
        )
        self.process = self._proc
        self.closed = False

    def close(self) -> None:
        assert self._proc is None, "skein waits for the process without a deadline"
        self.closed = True


@pytest.mark.parametrize(
    ("program", "code"),
    [("import sys; sys.stdin.read()", 0), ("import time; time.sleep(600)", -signal.SIGKILL)],
    ids=["leaves", "hangs"],
)
def test_the_driver_ends(program: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skein_driver, "_END", 20.0 if code == 0 else 0.2)
    driver = Driver(program)
    skein_driver._end(Background("start", lambda: driver), "mark")
    assert driver.closed
    assert driver.process is not None
    assert driver.process.returncode == code


def test_a_signal_after_the_redirect_is_an_event_and_ends_waits() -> None:
    inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with Interrupts() as interrupts:
        interrupts.check()
        interrupts.redirect(inbox)
        os.kill(os.getpid(), signal.SIGTERM)
        assert inbox.get(timeout=60) == Interrupt(signal.SIGTERM)
        with pytest.raises(Interrupted) as caught:
            interrupts.check()
    assert caught.value.signum == signal.SIGTERM
