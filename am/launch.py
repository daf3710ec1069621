"""What an agent is sent: launch specification and transfers. Pure."""

from __future__ import annotations

import dataclasses
import math

from xlearning.am.core.policies import Limits
from xlearning.am.core.tasks import ClusterMap, Task
from xlearning.am.frameworks import framework
from xlearning.am.inputs import placeholder
from xlearning.am.inputs.plan import InputPlan
from xlearning.config import Config
from xlearning.fs.base import join, split_uri
from xlearning.fs.commit import upload_folder
from xlearning.job import CHIEF, EVALUATOR, PS, WORKER, InputStrategy, JobSpec, LaunchSpec, RoleSpec


def effective_job(job: JobSpec, config: Config, attempt: int) -> JobSpec:
    """The job as this attempt runs it: memory grown with the attempt, the only worker's output flat.

    On attempt n a role's memory grows by (n-1) * ceil(memory * ratio), as in the original, where
    the chief and the evaluator were forgotten.
    """
    ratios = {PS: config.get("xlearning.ps.mem.autoscale")}
    ratio = config.get("xlearning.worker.mem.autoscale")
    roles = tuple(_grown(role, ratios.get(role.name, ratio), attempt) for role in job.roles)
    index = job.output_index
    workers = sum(role.instances for role in roles if role.name in (WORKER, CHIEF, EVALUATOR))
    if index is None and workers == 1 and not config.get("xlearning.createcontainerid.dir"):
        index = 0
    return dataclasses.replace(job, roles=roles, output_index=index)


def _grown(role: RoleSpec, ratio: float, attempt: int) -> RoleSpec:
    extra = (attempt - 1) * math.ceil(role.memory_mb * ratio)
    return dataclasses.replace(role, memory_mb=role.memory_mb + extra)


def limits(config: Config) -> Limits:
    """The machine's time-outs from the configuration."""
    return Limits(
        register=config.get("xlearning.localresource.timeout"),
        silence=config.get("xlearning.agent.timeout"),
        reconnect=config.get("xlearning.agent.reconnect.window"),
        stop_grace=config.get("xlearning.container.stop.grace"),
        evaluator_grace=config.get("xlearning.evaluator.stop.grace"),
        allocate=config.get("xlearning.allocate.timeout"),
        job=config.get("xlearning.job.exec.timeout"),
        start_retry=config.get("xlearning.container.start.retry"),
        max_attempts=config.get("xlearning.app.max.attempts"),
    )


def launch_spec(job: JobSpec, config: Config, plan: InputPlan, task: Task, cluster: ClusterMap) -> LaunchSpec:
    """Everything that the agent of ``task`` needs to run the program.

    Variables of ``xlearning.container.env.*`` win over all others, as in the original.
    """
    env = {
        "APP_ID": job.app_id,
        **framework(job.app_type).environment(job, config, task, cluster),
        **plan.variables(task),
        **job.env,
    }
    folders = [] if job.input_strategy is InputStrategy.STREAM else [spec.local for spec in job.inputs]
    if config.get("xlearning.container.auto.create.output.dir"):
        folders += [output.local for output in job.outputs]
    board = job.board if job.board.enabled and (task.role, task.index) == (WORKER, job.board.index) else None
    if board is not None and not split_uri(board.log_dir)[0]:
        folders.append(board.log_dir)
    return LaunchSpec(
        command=job.command,
        env=env,
        overflow={placeholder.VARIABLE: placeholder.FILE},
        fetch=plan.fetch(task),
        folders=tuple(dict.fromkeys(folders)),
        board=board,
        stream=plan.stream(task),
        properties=job.properties,
    )


def output_transfers(job: JobSpec, attempt: int, container_id: str) -> list[tuple[str, str]]:
    """(local folder, remote URI) of everything that a container uploads at its end."""
    pairs = []
    for output in job.outputs:
        remote = upload_folder(output.remote, job.app_id, attempt, container_id)
        flat = job.output_index is not None
        pairs.append((output.local, join(remote, output.local) if flat else remote))
    return pairs


def save_transfers(job: JobSpec, config: Config, save_id: str, container_id: str) -> list[tuple[str, str]]:
    """(local folder, remote URI) of an intermediate save, ``<output>/interResult_<save id>/<container>``."""
    prefix = config.get("xlearning.interresult.dir").strip("/")
    return [(output.local, join(output.remote, f"{prefix}{save_id}", container_id)) for output in job.outputs]
