"""A bounded fork bomb: argv[1] chains of processes that fork, often into a new session, and exit.

Each chain ends by itself argv[2] seconds after the start.
"""

import os
import signal
import sys
import time

chains, end = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("ready", flush=True)
for chain in range(chains):
    if os.fork() == 0:
        while time.monotonic() < end:
            if os.fork():
                os._exit(0)
            if chain % 2:
                os.setsid()
        os._exit(0)
time.sleep(max(0.0, end - time.monotonic()))
