"""Ignores TERM, forks, and leaves stopped and running daemons in other sessions and groups."""

import os
import signal
import time

for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(signum, signal.SIG_IGN)
read, write = os.pipe()
for number in range(4):
    if os.fork() == 0:
        if number == 1:
            os.setsid()
        elif number == 2:
            os.setpgid(0, 0)
        if os.fork() == 0:
            if number == 3:
                os.setsid()
            os.write(write, b".")
            if number == 0:
                os.kill(os.getpid(), signal.SIGSTOP)
            time.sleep(60)
        if number % 2:
            os._exit(0)
        time.sleep(60)
ready = b""
while len(ready) < 4:
    ready += os.read(read, 4)
print("ready", flush=True)
time.sleep(60)
