"""GPUs: who asks for how many, who sees none, and which of this machine are shared out with ``--local``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from xlearning.config import Config
from xlearning.job import PS, SCHEDULER, JobSpec, RoleSpec

GPU = "yarn.io/gpu"
VISIBLE = "CUDA_VISIBLE_DEVICES"
_DRIVER = Path("/proc/driver/nvidia/gpus")  # a folder for each of the machine's


def gpus(role: RoleSpec, config: Config) -> int:
    """GPUs of each container of a role: parameter servers have a property of their own, schedulers none."""
    if role.name == SCHEDULER:
        return 0
    return int(config.get("xlearning.ps.gpus" if role.name == PS else "xlearning.worker.gpus"))


def hidden_gpus(job: JobSpec, role: RoleSpec, config: Config) -> dict[str, str]:
    """The variable that hides all GPUs from a role that asks for none in a job where others do."""
    if gpus(role, config) or not any(gpus(one, config) for one in job.roles):
        return {}
    return {VISIBLE: ""}


def of_this_machine(environ: Mapping[str, str], driver: Path = _DRIVER) -> tuple[str, ...]:
    """Ids of the GPUs that a user's programs may use here: those of the variable, else all."""
    given = environ.get(VISIBLE)
    if given is not None:
        ids = [part.strip() for part in given.split(",")]
        return tuple(one for one in ids if one and one != "-1")
    count = len(list(driver.iterdir())) if driver.is_dir() else 0
    return tuple(str(number) for number in range(count))


class Pool:
    """GPUs that containers of one application share out.

    Parameters
    ----------
    ids : sequence of str
        All there are; with none, every wish is met by nothing.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        self._all = tuple(ids)
        self._taken: dict[str, tuple[str, ...]] = {}

    def has(self, count: int) -> bool:
        """Whether ``count`` are free."""
        return not self._all or count <= len(self._free())

    def take(self, container_id: str, count: int) -> tuple[str, ...]:
        """``count`` free ones for a container."""
        chosen = self._free()[:count]
        if chosen:
            self._taken[container_id] = chosen
        return chosen

    def give_back(self, container_id: str) -> None:
        """A container has ended."""
        self._taken.pop(container_id, None)

    def _free(self) -> tuple[str, ...]:
        used = {one for ids in self._taken.values() for one in ids}
        return tuple(one for one in self._all if one not in used)
