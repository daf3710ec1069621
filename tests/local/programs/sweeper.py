"""Leaves two orphans behind, spares one in a sweep, and ends it in the next."""

import subprocess

import psutil

from xlearning.container.process import become_subreaper, sweep_descendants

become_subreaper()
orphans = []
for _ in range(2):
    starter = ["sh", "-c", "setsid sh -c 'echo $$; exec sleep 60 >/dev/null' &"]
    orphans.append(int(subprocess.run(starter, stdout=subprocess.PIPE, check=True).stdout))
assert sweep_descendants(1.0, keep=orphans[:1]) == 1
assert psutil.pid_exists(orphans[0])
assert sweep_descendants(1.0) == 1
assert not psutil.pid_exists(orphans[0])
