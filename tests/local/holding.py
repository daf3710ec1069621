"""Python processes that stand still where a test wants them to: before they open a certain file to write."""

from __future__ import annotations

from pathlib import Path

from submitting import wait_for

# An audit hook sees every opening of a file before it is done; it holds up the thread that asks for it.
_HOOK = """
import os, re, sys, time
left = [{after}]
def hold(event, args):
    if event != "open" or not isinstance(args[0], str) or not re.search({pattern!r}, args[0]):
        return
    if not args[2] & (os.O_WRONLY | os.O_RDWR):
        return
    left[0] -= 1
    if left[0] < 0:
        os.close(os.open({held!r}, os.O_CREAT, 0o600))
        while not os.path.exists({go!r}):
            time.sleep(0.01)
sys.addaudithook(hold)
"""


class Hold:
    """Holds up whoever opens a file to write whose path the pattern (a regular expression) is found in.

    Parameters
    ----------
    folder : Path
        For what this needs; it is made.
    after : int
        So many openings are let through in each process.

    Attributes
    ----------
    environment : dict
        What the processes meant are to be started with.
    """

    def __init__(self, folder: Path, pattern: str, *, after: int = 0) -> None:
        self._held, self._go = folder / "held", folder / "go"
        folder.mkdir()
        hook = _HOOK.format(after=after, pattern=pattern, held=str(self._held), go=str(self._go))
        (folder / "sitecustomize.py").write_text(hook)
        self.environment = {"PYTHONPATH": str(folder)}

    def is_on(self) -> bool:
        """Whether somebody is held up."""
        return self._held.exists()

    def wait(self) -> None:
        """Wait until somebody is."""
        wait_for(self.is_on, 60, "nobody opens such a file")

    def let_go(self) -> None:
        self._go.touch()
