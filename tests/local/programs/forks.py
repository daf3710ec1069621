"""Forks children and grandchildren that sleep, then sleeps too."""

import os
import time

read, write = os.pipe()
for _ in range(3):
    if os.fork() == 0:
        os.fork()
        os.write(write, b".")
        time.sleep(60)
        os._exit(0)
ready = b""
while len(ready) < 6:
    ready += os.read(read, 6)
print("ready", flush=True)
time.sleep(60)
