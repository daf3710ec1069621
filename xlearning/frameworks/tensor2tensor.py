"""TENSOR2TENSOR: as TENSORFLOW, with TF_CONFIG in the words of Tensor2Tensor."""

from __future__ import annotations

from typing import Any

from xlearning.config import Config
from xlearning.frameworks.tensorflow import TensorFlow, definition
from xlearning.job import PS, WORKER, ClusterMap, JobSpec, Task


class Tensor2Tensor(TensorFlow):
    """Workers are called ``master``, and there is no evaluator: masters evaluate."""

    has_evaluator = False

    def tf_config(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> dict[str, Any]:
        """As Hbox writes it, and as ``t2t-make-tf-configs`` does."""
        named = definition(cluster, with_evaluator=False)
        masters = {"master" if role == WORKER else role: addresses for role, addresses in named.items()}
        kind = PS if task.role == PS else "master"
        return {"cluster": masters, "task": {"type": kind, "index": task.index}, "environment": "cloud"}
