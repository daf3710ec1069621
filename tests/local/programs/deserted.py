"""Kills the guardian of one of two programs; argv[1] is a folder for their output."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from xlearning.container.process import UserProcess, become_subreaper, sweep_descendants

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
FOLDER, PROGRAMS = Path(sys.argv[1]), Path(__file__).parent


async def start(name: str, *command: str) -> UserProcess:
    out, err = FOLDER / f"{name}.out", FOLDER / f"{name}.err"
    return await UserProcess.start(command, ENV, FOLDER, out, err, 0.3)


async def main() -> None:
    become_subreaper()
    other = await start("other", "sleep", "60")
    process = await start("victim", sys.executable, str(PROGRAMS / "everything.py"))
    while "ready" not in (FOLDER / "victim.out").read_text():
        await asyncio.sleep(0.01)
    os.kill(process.guardian_pid, signal.SIGKILL)
    end = await process.wait()
    assert end.code == 137
    assert "guardian" in end.reason
    assert end.swept >= 4
    assert len(other.tree()) == 1
    assert sweep_descendants(0.1) == 0
    await other.stop()


asyncio.run(main())
