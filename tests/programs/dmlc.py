"""Scheduler, servers and workers that meet by the variables of ps-lite, with sockets alone.

Every worker pushes its number to each server and pulls the sum. All print what they were told.
``fail:ROLE`` as argument: that one dies once all have met, while the others need it.
"""

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

ROLE = os.environ["DMLC_ROLE"]
SCHEDULER = (os.environ["DMLC_PS_ROOT_URI"], int(os.environ["DMLC_PS_ROOT_PORT"]))
WORKERS, SERVERS = int(os.environ["DMLC_NUM_WORKER"]), int(os.environ["DMLC_NUM_SERVER"])


def listen(address):
    # XLearning holds the scheduler's port; both options let a second socket bind it
    return socket.create_server(address, reuse_port=True)


def connect(address):
    while True:
        try:
            return socket.create_connection(address).makefile("rw")
        except ConnectionRefusedError:
            time.sleep(0.05)


def say(stream, message):
    try:
        stream.write(json.dumps(message) + "\n")
        stream.flush()
    except OSError:
        signal.pause()


def hear(stream):
    """The next message; who has lost the other side waits for ever, as programs on ps-lite do."""
    try:
        line = stream.readline()
    except OSError:
        line = ""
    if not line:
        signal.pause()
    return json.loads(line)


def accept(listener, count):
    return [listener.accept()[0].makefile("rw") for _ in range(count)]


def schedule():
    with listen(SCHEDULER) as listener:
        members = accept(listener, WORKERS + SERVERS)
    servers = [address for address in (hear(member) for member in members) if address]
    fail()
    for member in members:
        say(member, servers)
    for member in members:
        hear(member)


def serve():
    with listen((os.environ["DMLC_NODE_HOST"], 0)) as listener:
        scheduler = meet(listener.getsockname())
        workers = accept(listener, WORKERS)
        total = sum(hear(worker) for worker in workers)
        for worker in workers:
            say(worker, total)
    say(scheduler, "done")


def work():
    scheduler = meet(None)
    sums = []
    for address in SERVED:
        server = connect(tuple(address))
        say(server, int(os.environ["DMLC_WORKER_ID"]) + 1)
        sums.append(hear(server))
    say(scheduler, "done")
    return sums


def meet(address):
    """Register, and wait until all have done so."""
    scheduler = connect(SCHEDULER)
    say(scheduler, address)
    SERVED.extend(hear(scheduler))
    fail()
    return scheduler


def fail():
    if f"fail:{ROLE}" in sys.argv:
        sys.exit(f"the {ROLE} has no memory left")


SERVED = []
found = {"scheduler": schedule, "server": serve, "worker": work}[ROLE]()
told = {name: text for name, text in os.environ.items() if name.startswith(("DMLC_", "HEAPPROFILE"))}
seen = {"told": told, "inputs": sorted(path.name for path in Path("data").rglob("*")), "found": found}
print(json.dumps(seen), flush=True)
Path("output").mkdir(exist_ok=True)
Path("output", f"{ROLE}.json").write_text(json.dumps(seen))
