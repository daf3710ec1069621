"""Does what its arguments say, in their order.

print:TEXT, err:TEXT, write:PATH=TEXT, exit:CODE, wait:PATH (until that file exists), touch:PATH,
only:INDEX (the rest is for that worker alone), fork (a child that ignores TERM in a session of its
own), ignore-term, allocate:MB, attempt:N (wait for ever in attempts before N).
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

kept = []
for word in sys.argv[1:]:
    verb, _, rest = word.partition(":")
    if verb == "print":
        print(rest, flush=True)
    elif verb == "err":
        print(rest, file=sys.stderr, flush=True)
    elif verb == "write":
        name, _, text = rest.partition("=")
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    elif verb == "touch":
        Path(rest.replace("INDEX", os.environ["INDEX"])).touch()
    elif verb == "wait":
        while not Path(rest).exists():
            time.sleep(0.02)
    elif verb == "only":
        if os.environ["INDEX"] != rest:
            break
    elif verb == "ignore-term":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif verb == "fork":
        code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    elif verb == "allocate":
        kept.append(bytearray(os.urandom(1 << 20) * int(rest)))
    elif verb == "attempt":
        while int(os.environ["CONTAINER_ID"].split("_")[3]) < int(rest):
            time.sleep(0.1)
    elif verb == "exit":
        sys.exit(int(rest))
    else:
        sys.exit(f"unknown word {word}")
