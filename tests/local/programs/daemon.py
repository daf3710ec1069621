"""Leaves a daemon behind in a session of its own (forked twice), then sleeps."""

import os
import time

read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(write, b".")
        time.sleep(60)
    os._exit(0)
os.read(read, 1)
print("ready", flush=True)
time.sleep(60)
