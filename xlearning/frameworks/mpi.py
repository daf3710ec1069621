"""MPI and TENSORNET: stock Open MPI, for which the job's own containers are the remote hosts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources

from xlearning.config import Config
from xlearning.frameworks.addresses import numeric
from xlearning.frameworks.base import AGENT_PYTHON, Crew, Framework, Rules, Setup, scheduler_role, worker_role
from xlearning.job import SCHEDULER, WORKER, ClusterMap, JobSpec, RoleSpec, Task

_FOLDER = ".xlearning-mpi"
_PACKAGE = "xlearning.container.mpi"


class Mpi(Framework):
    """Gang of workers, each with one or more ranks, and the launcher with mpirun, of role ``scheduler``.

    The exit code of mpirun decides. A worker whose rank failed ends first, and is named.

    Attributes
    ----------
    ports : int
        How many the launcher listens on.
    processes : str
        Property with the number of ranks in each worker.
    libraries : str
        Property with what comes first in LD_LIBRARY_PATH.
    """

    ports = 1
    launches = True
    fixed: tuple[str, ...] = ("OMPI_COMM_WORLD_", "PMIX_RANK")
    processes = "xlearning.mpi.process.num.per.worker"
    libraries = "xlearning.mpi.extra.ld.library.path"

    def problems(self, crew: Crew, config: Config) -> Sequence[tuple[str, str]]:
        """Ranks of one worker cannot share its stream of records."""
        streams = config.get("xlearning.input.strategy").upper() == "STREAM"
        if streams and config.get(self.processes) > 1:
            return [
                (
                    f"the {config.get(self.processes)} ranks of a worker cannot share one standard input "
                    f"({self.processes}, input strategy STREAM)",
                    "use more workers with one rank each, or another input strategy",
                )
            ]
        return ()

    def roles(self, crew: Crew, config: Config) -> tuple[RoleSpec, ...]:
        """The launcher, and the workers."""
        return (scheduler_role(config), worker_role(crew.workers, config))

    def rules(self, job: JobSpec, config: Config) -> Rules:
        """Launcher and workers must all end well; the launcher listens on its port for the workers."""
        return Rules(
            gang=True,
            ports={SCHEDULER: self.ports},
            service_roles=frozenset(),
            upload_roles=frozenset((WORKER,)),
        )

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        """Our launcher or node in place of the command, and the plan that both follow."""
        numeric(cluster[SCHEDULER][0], cluster)  # mpirun listens on it too
        part = "launcher" if task.role == SCHEDULER else "node"
        files = {
            **_programs(part),
            "plan.json": self._plan(job, config, task, cluster),
            "run.py": f"import sys\n\nfrom {_PACKAGE}.{part} import main\n\nsys.exit(main())\n",
        }
        return Setup(
            self.variables(config, task, cluster),
            {f"{_FOLDER}/{name}": text for name, text in files.items()},
            (AGENT_PYTHON, "-E", "-s", f"{_FOLDER}/run.py"),
            self.interfaces(task, cluster),
        )

    def variables(self, config: Config, task: Task, cluster: ClusterMap) -> dict[str, str]:
        """The original counts TF_INDEX from 1 here."""
        return {
            "INDEX": str(task.index),
            "TF_INDEX": str(task.index + 1),
            "HBOX_CUSTOM_EXIT": config.get("xlearning.custom.exit"),
        }

    def interfaces(self, task: Task, cluster: ClusterMap) -> dict[str, str]:
        """What `Setup.interfaces` says; the nodes tell Open MPI by themselves."""
        return {}

    def _plan(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> str:
        launcher = cluster[SCHEDULER][0]
        me = cluster[task.role][task.index]
        plan = {
            "index": -1 if task.role == SCHEDULER else task.index,
            "nodes": len(cluster[WORKER]),
            "processes": config.get(self.processes),
            "address": me.ip or me.host,
            "launcher": (launcher.host, launcher.port),
            "home": config.get("xlearning.mpi.install.dir"),
            "home_given": config.is_set("xlearning.mpi.install.dir"),
            "libraries": config.get(self.libraries) or "",
            "custom_exit": config.get("xlearning.custom.exit"),
            "store": launcher.ports[1] if self.ports > 1 else 0,
            "publishes": bool(job.outputs) and task.role == WORKER and job.output_index in (None, task.index),
            "spawns": config.get("xlearning.mpi.spawn"),
            "command": job.command,
        }
        return json.dumps(plan, indent=1)


def _programs(part: str) -> dict[str, str]:
    """The text of our programs, as the packages that they import each other from."""
    folder, files = "", {}
    for name in _PACKAGE.split("."):
        folder += f"{name}/"
        files[f"{folder}__init__.py"] = ""
    source = resources.files(_PACKAGE)
    for name in ("talk.py", "scripts.py", "rendezvous.py", "shared.py", f"{part}.py"):
        files[folder + name] = source.joinpath(name).read_text(encoding="utf-8")
    return files
