"""Ignores every signal that can be ignored."""

import signal
import time

for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(signum, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
