"""What a program does with the Python interface on YARN: asks for a running job, and submits two.

    python_api.py APP_ID OUTPUT

Says "asked" when it is done with the first, and prints what it has seen as JSON.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

from xlearning import Application, Client, Job

app_id, output = sys.argv[1:]
script = "mkdir -p output; echo $INDEX > output/index; sleep 1; exit $0"
with Client() as client:
    running = client.application(app_id)
    seen = {
        "state": running.status().state.value,
        "page": running.page,
        "lines": sorted(line.text for line in running.logs("worker", files=["stdout"], tail=2)),
        "listed": [one.id for one in client.applications(states=["running"])],
    }
    print("asked", file=sys.stderr, flush=True)
    jobs = []
    for code, folder in ((0, "good"), (3, "bad")):
        words = ["bash", "-c", script, code]
        jobs.append(client.submit(Job(words, app_name=folder, output={f"{output}/{folder}": "output"})))
    with ThreadPoolExecutor(2) as pool:
        good, bad = pool.map(Application.wait, jobs)
seen |= {
    "ids": [good.app_id, bad.app_id],
    "states": [good.state.value, bad.state.value],
    "outputs": [list(good.check().outputs), list(bad.outputs)],
    "reason": bad.reason,
    "text": bad.text,
}
print(json.dumps(seen))
