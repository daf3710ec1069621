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
gate, opener = os.pipe()
for chain in range(chains):
    if os.fork() == 0:
        os.close(opener)
        os.read(gate, 1)
        while time.monotonic() < end:
            time.sleep(0.05)  # so that the bomb leaves the other tests a machine to run on
            if os.fork():
                os._exit(0)
            if chain % 2:
                os.setsid()
        os._exit(0)
print("ready", flush=True)
os.close(opener)
time.sleep(max(0.0, end - time.monotonic()))
