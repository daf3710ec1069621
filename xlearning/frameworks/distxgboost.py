"""DISTXGBOOST: workers that train one model, and XGBoost's tracker, which brings them together."""

from __future__ import annotations

import re

from xlearning.config import Config
from xlearning.frameworks.addresses import reachable
from xlearning.frameworks.base import Crew, Framework, Rules, Setup, scheduler_role
from xlearning.job import SCHEDULER, WORKER, ClusterMap, JobSpec, RoleSpec, Task

_PYTHON = re.compile(r"(.*/)?python[\d.]*")
# In a folder of its own: Python looks for modules beside the script first.
_SCRIPT = ".xlearning-tracker/tracker.py"


class DistXGBoost(Framework):
    """Gang of workers. The tracker is a container of role ``scheduler`` and ends with them by itself."""

    def roles(self, crew: Crew, config: Config) -> tuple[RoleSpec, ...]:
        return (scheduler_role(config), *super().roles(crew, config))

    def rules(self, job: JobSpec, config: Config) -> Rules:
        """The tracker binds its port without SO_REUSEADDR, so it is unbound before."""
        return Rules(
            gang=True,
            ports={SCHEDULER: 1},
            lent_ports=frozenset((SCHEDULER,)),
            service_roles=frozenset((SCHEDULER,)),
            upload_roles=frozenset((WORKER,)),
        )

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        tracker = cluster[SCHEDULER][0]
        host, port = reachable(tracker, cluster), str(tracker.port)
        workers = str(len(cluster[WORKER]))
        env = {
            "INDEX": str(task.index),
            "DMLC_ROLE": task.role,
            "DMLC_TRACKER_URI": host,
            "DMLC_TRACKER_PORT": port,
            "DMLC_NUM_WORKER": workers,
        }
        if task.role != SCHEDULER:
            return Setup({**env, "DMLC_TASK_ID": str(task.index)})
        python = interpreter(job, config)
        command = (python or "python3", _SCRIPT, python or "python", workers, host, port)
        return Setup(env, {_SCRIPT: _TRACKER}, command)


def interpreter(job: JobSpec, config: Config) -> str:
    """The Python that has the user's XGBoost, as far as it is told: property, else the command's own."""
    named = config.get("xlearning.xgboost.python")
    if named:
        return str(named)
    return job.command[0] if _PYTHON.fullmatch(job.command[0]) else ""


# Runs with the user's Python, old ones too: the tracker took the number of workers in `start`, and was
# waited for by `join`, before XGBoost 2.1. An archive of the user's own, as the original wanted it, is
# run in the original's way.
_TRACKER = '''"""Brings the workers of one XGBoost job together; arguments: python, workers, address, port."""

import os
import sys

python, workers, host, port = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
own = "xgboost/self-define/rabitTracker.py"
if os.path.exists(own):
    print("running %s of the archive that was given" % own)
    sys.stdout.flush()
    words = [python, own, "--num-workers=%d" % workers, "--host-ip=" + host, "--port=%d" % port]
    try:
        os.execvp(python, words)
    except OSError as error:
        sys.exit(
            "%s, which runs %s, cannot be started: %s\\n"
            "Name another for it: --conf xlearning.xgboost.python=PATH" % (python, own, error.strerror)
        )
try:
    from xgboost.tracker import RabitTracker
except ImportError as error:
    sys.exit(
        "%s has no tracker of XGBoost: %s\\n"
        "Start the program with a Python that has it (its first word), or name one for the tracker: "
        "--conf xlearning.xgboost.python=PATH" % (sys.executable, error)
    )
tracker = RabitTracker(host_ip=host, n_workers=workers, port=port, sortby="task")
current = hasattr(tracker, "wait_for")
tracker.start(*([] if current else [workers]))
print("XGBoost's tracker listens on %s:%d for %d workers" % (host, port, workers))
sys.stdout.flush()
(tracker.wait_for if current else tracker.join)()
print("the workers are done")
'''
