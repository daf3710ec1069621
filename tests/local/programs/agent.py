"""Stands for an agent: runs argv[3:] as a `UserProcess` in folder argv[1] with grace argv[2].

Prints one JSON object a line: the pids once it runs, how it ended. A line on stdin or
its end orders a stop.
"""

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

from xlearning.container.process import UserProcess


async def main() -> None:
    folder, grace, command = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    out, err = folder / "stdout", folder / "stderr"
    process = await UserProcess.start(command, dict(os.environ), folder, out, err, grace)
    loop = asyncio.get_running_loop()

    def obey() -> None:
        sys.stdin.readline()
        loop.call_soon_threadsafe(process.order_stop)

    threading.Thread(target=obey, daemon=True).start()
    print(json.dumps({"guardian": process.guardian_pid, "pid": process.pid}), flush=True)
    end = await process.wait()
    print(json.dumps({"code": end.code, "reason": end.reason, "swept": end.swept}), flush=True)


asyncio.run(main())
