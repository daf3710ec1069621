"""What an agent is sent: launch specification and transfers. Nothing here is written or read."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from xlearning.am.core.policies import Limits
from xlearning.am.core.tasks import streams_output
from xlearning.am.inputs import placeholder
from xlearning.am.inputs.plan import InputPlan
from xlearning.cluster import attempts
from xlearning.cluster.gpus import gpus, hidden_gpus
from xlearning.config import Config
from xlearning.frameworks import framework
from xlearning.frameworks.base import Framework
from xlearning.fs import dealing
from xlearning.fs.base import join, split_uri
from xlearning.fs.intent import SAVE_TIME, save_part, upload_folder
from xlearning.job import (
    CHIEF,
    EVALUATOR,
    WORKER,
    BoardSpec,
    ClusterMap,
    InputStrategy,
    JobSpec,
    LaunchSpec,
    OutputStrategy,
    RoleSpec,
    SinkSpec,
    Task,
)
from xlearning.template import fill


def effective_job(job: JobSpec, config: Config, attempt: int) -> JobSpec:
    """The job as this attempt runs it: memory grown with the attempt, the only worker's output flat."""
    roles = tuple(attempts.grow(role, config, attempt) for role in job.roles)
    index = job.output_index
    workers = sum(role.instances for role in roles if role.name in (WORKER, CHIEF, EVALUATOR))
    if index is None and workers == 1 and not config.get("xlearning.createcontainerid.dir"):
        index = 0
    return dataclasses.replace(job, roles=roles, output_index=index)


def limits(config: Config) -> Limits:
    """The machine's time-outs from the configuration."""
    return Limits(
        register=config.get("xlearning.localresource.timeout"),
        silence=config.get("xlearning.task.timeout") or config.get("xlearning.agent.timeout"),
        reconnect=config.get("xlearning.agent.reconnect.window"),
        stop_grace=config.get("xlearning.container.stop.grace"),
        evaluator_grace=config.get("xlearning.evaluator.stop.grace"),
        allocate=config.get("xlearning.allocate.timeout"),
        job=config.get("xlearning.job.exec.timeout"),
        save=config.get("xlearning.interresult.upload.timeout"),
        saves_kept=config.get("xlearning.interresult.keep"),
        save_changed=config.get("xlearning.interresult.save.inc"),
        save_interval=config.get("xlearning.interresult.upload.interval"),
        start_retry=config.get("xlearning.container.start.retry"),
        max_attempts=config.get("xlearning.app.max.attempts"),
        publish_failed=config.get("xlearning.failed.upload"),
    )


def type_of(job: JobSpec) -> Framework:
    """The rules of the job's application type."""
    if job.framework:
        from xlearning.formats import own  # not loaded by jobs without one

        own.offer(job.modules)
    return framework(job.app_type, job.framework)


def launch_spec(
    job: JobSpec,
    config: Config,
    plan: InputPlan,
    task: Task,
    cluster: ClusterMap,
    sink: SinkSpec | None = None,
    type_: Framework | None = None,
) -> LaunchSpec:
    """Everything that the agent of ``task`` needs to run the program.

    The user's own variables win over all others, as in the original. ``type_`` has the rules of the job's
    application type where they are loaded already.
    """
    command, own = _filled(job, task)
    role = _role(job, task)
    type_ = type_ or type_of(job)
    setup = type_.setup(dataclasses.replace(job, command=command), config, task, cluster)
    env = {
        "APP_ID": job.app_id,
        **hidden_gpus(job, role, config),
        **setup.env,
        **plan.variables(task),
        **own,
    }
    folders = [] if job.input_strategy is InputStrategy.STREAM else [spec.local for spec in job.inputs]
    from_folders = job.output_strategy is OutputStrategy.UPLOAD
    if from_folders and config.get("xlearning.container.auto.create.output.dir"):
        folders += [output.local for output in job.outputs]
    board = _board(job, task)
    if board is not None and not split_uri(board.log_dir)[0]:
        folders.append(board.log_dir)
    return LaunchSpec(
        command=setup.command or command,
        env=env,
        files=setup.files,
        interfaces=setup.interfaces,
        lend_ports=task.role in type_.rules(job, config).lent_ports,
        overflow={placeholder.VARIABLE: placeholder.FILE},
        fetch=plan.fetch(task),
        folders=tuple(dict.fromkeys(folders)),
        search=job.search,
        board=board,
        stream=plan.stream(task),
        own_files=0 if dealing.rule(config).whole else plan.files(task),
        sink=sink,
        properties=job.properties,
        modules=job.modules,
        memory_mb=role.memory_mb,
        vcores=role.vcores,
        gpus=gpus(role, config),
    )


def _board(job: JobSpec, task: Task) -> BoardSpec | None:
    """The board, for the container beside whose program it runs."""
    board = job.board
    if not board.enabled or (task.role, task.index) != (board.role, board.index):
        return None
    return dataclasses.replace(board, history=board.history and join(board.history, job.app_id))


def _role(job: JobSpec, task: Task) -> RoleSpec:
    """What the container of ``task`` was asked for as."""
    chief = task.role == WORKER and task.index == 0
    names = [role.name for role in job.roles]
    return job.roles[names.index(CHIEF if chief and CHIEF in names else task.role)]


def _filled(job: JobSpec, task: Task) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """The command and the user's own variables for ``task``."""
    if not job.template:
        return job.command, job.env
    workers = sum(role.instances for role in job.roles if role.name in (WORKER, CHIEF))
    values = {
        "app_id": job.app_id,
        "index": str(task.index),
        "role": task.role,
        "num_workers": str(workers),
    }
    return (
        tuple(fill(word, values) for word in job.command),
        {name: fill(value, values) for name, value in job.env.items()},
    )


def sink_spec(job: JobSpec, config: Config, attempt: int, container_id: str, task: Task) -> SinkSpec | None:
    """Where the standard output of ``task`` goes, with the output strategy STREAM."""
    if not job.outputs or not streams_output(job, task):
        return None
    remote = upload_folder(job.outputs[0].remote, job.app_id, attempt, container_id)
    return SinkSpec(config.get("xlearning.outputformat.class"), remote, task.index)


def is_flat(job: JobSpec, config: Config) -> bool:
    """Whether what containers publish lies side by side, and not in a folder for each of them."""
    if job.output_strategy is OutputStrategy.STREAM:
        return not config.get("xlearning.createcontainerid.dir")  # names hold the number of the worker
    return job.output_index is not None


def output_transfers(job: JobSpec, attempt: int, container_id: str) -> list[tuple[str, str]]:
    """(local folder, remote URI) of everything that a container uploads at its end."""
    pairs: list[tuple[str, str]] = []
    if job.output_strategy is OutputStrategy.STREAM:
        return pairs
    for output in job.outputs:
        remote = upload_folder(output.remote, job.app_id, attempt, container_id)
        flat = job.output_index is not None
        pairs.append((output.local, join(remote, output.local) if flat else remote))
    return pairs


def save_folders(job: JobSpec, config: Config, save_id: str) -> tuple[str, ...]:
    """The folders of a save, ``<output>/interResult_<save id>``, one for each output."""
    prefix = config.get("xlearning.interresult.dir").strip("/")
    return tuple(dict.fromkeys(join(output.remote, f"{prefix}{save_id}") for output in job.outputs))


@dataclasses.dataclass(frozen=True)
class SaveOrder:
    """What a container does for a save: (local folder, URI) to upload, then (URI, URI) to rename."""

    transfers: tuple[tuple[str, str], ...]
    moves: tuple[tuple[str, str], ...]


def save_order(job: JobSpec, config: Config, attempt: int, save_id: str, container_id: str) -> SaveOrder:
    """The part of one container: uploaded out of sight, visible by a rename once it is whole.

    Outputs of one address that are published in folders of their local names are saved in such ones too.
    """
    drafts = {o.remote: save_part(o.remote, job.app_id, attempt, save_id, container_id) for o in job.outputs}
    folders = save_folders(job, config, save_id)
    uses = Counter(output.remote for output in job.outputs)
    apart = {remote for remote, count in uses.items() if count > 1 and job.output_index is not None}
    return SaveOrder(
        transfers=tuple(
            (o.local, join(drafts[o.remote], o.local) if o.remote in apart else drafts[o.remote])
            for o in job.outputs
        ),
        moves=tuple(
            (draft, join(folder, container_id))
            for draft, folder in zip(drafts.values(), folders, strict=True)
        ),
    )


def new_save_id(now: float, taken: Collection[str]) -> str:
    """The local time as the original writes it, later than all that are taken.

    Their order tells which save is newer, and local time goes back once a year.
    """
    save_id, newest = time.strftime(SAVE_TIME, time.localtime(now)), max(taken, default="")
    if save_id > newest:
        return save_id
    return (datetime.strptime(newest, SAVE_TIME) + timedelta(seconds=1)).strftime(SAVE_TIME)
