"""DISTTORCH: workers that train one model together by ``torch.distributed``."""

from __future__ import annotations

from collections.abc import Mapping

from xlearning.config import Config
from xlearning.frameworks.addresses import reachable
from xlearning.frameworks.base import Framework, Rules, Setup, peer
from xlearning.job import WORKER, ClusterMap, JobSpec, Task


class DistTorch(Framework):
    """A gang: torch has no way to go on without one of the ranks that began together.

    Rank r is worker r. Its program listens on the port of worker 0, which the agent holds beside it:
    torch sets SO_REUSEADDR.
    """

    def rules(self, job: JobSpec, config: Config) -> Rules:
        return Rules(gang=True, ports={WORKER: 1})

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        """What torch reads by itself (``env://``), Hbox's names, and the defaults of torchrun's options.

        Hbox's names hold an address. Torch's hold the host's name, by which torchrun finds out where
        it has to listen.
        """
        hosts = [member.host for member in cluster[WORKER]]
        host, port = hosts[0], str(cluster[WORKER][0].port)
        address = reachable(cluster[WORKER][0], cluster)
        rank, size = str(task.index), str(len(hosts))
        alone = bool(config.get("xlearning.worker.gpus"))
        env = {
            "INDEX": rank,
            **{"RANK": rank, "WORLD_SIZE": size, "MASTER_ADDR": host, "MASTER_PORT": port},
            **_places(task.index, [str(number) for number in range(len(hosts))] if alone else hosts),
            **{"INIT_METHOD": _url(address, port), "master_addr": address, "master_port": port},
            **{"PET_NNODES": size, "PET_NODE_RANK": rank, "PET_MASTER_ADDR": host, "PET_MASTER_PORT": port},
        }
        return Setup(env, interfaces={"GLOO_SOCKET_IFNAME": peer(task.index, hosts)})


def _url(address: str, port: str) -> str:
    """What ``init_process_group(init_method=...)`` takes."""
    return f"tcp://[{address}]:{port}" if ":" in address else f"tcp://{address}:{port}"


def _places(rank: int, hosts: list[str]) -> Mapping[str, str]:
    """Which of the ranks of its host a rank is, and which of the hosts that is.

    A container with GPUs of its own sees them from number 0 on, and stands for a host.
    """
    own = [index for index, host in enumerate(hosts) if host == hosts[rank]]
    return {
        "LOCAL_RANK": str(own.index(rank)),
        "LOCAL_WORLD_SIZE": str(len(own)),
        "GROUP_RANK": str(list(dict.fromkeys(hosts)).index(hosts[rank])),
    }
