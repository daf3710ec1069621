"""The input of a whole job: what was listed, and what each task reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from xlearning.am.inputs import download, placeholder, stream
from xlearning.am.inputs.assign import Assignment, Listing, deal, nothing
from xlearning.am.inputs.near import dealt_near
from xlearning.config import Config
from xlearning.fs import FileSystems, dealing
from xlearning.job import (
    CHIEF,
    WORKER,
    ClusterMap,
    FetchItem,
    InputStrategy,
    InputView,
    JobSpec,
    StreamSpec,
    Task,
)


@dataclass(frozen=True)
class InputPlan:
    """Assignments, or with STREAM streams, by worker index. Build it with `plan_inputs`."""

    strategy: InputStrategy
    listing: Listing
    assignments: tuple[Assignment, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    streams: tuple[StreamSpec, ...] = ()
    near: bool = False  # the streams are dealt anew once the workers' hosts are known

    def placed(self, cluster: ClusterMap) -> InputPlan:
        """The plan for workers on these hosts. A worker that takes another one's place reads the same."""
        if not self.near:
            return self
        hosts = [member.host for member in cluster.get(WORKER, ())[: len(self.streams)]]
        streams = dealt_near(self.streams, hosts) if len(hosts) == len(self.streams) else self.streams
        return dataclasses.replace(self, streams=streams, near=False)

    def assignment(self, task: Task) -> Assignment:
        """What a task reads; ps and evaluator read nothing."""
        if task.role == WORKER and task.index < len(self.assignments):
            return self.assignments[task.index]
        return nothing(self.listing)

    def fetch(self, task: Task) -> tuple[FetchItem, ...]:
        """What the task's agent downloads."""
        if self.strategy is not InputStrategy.DOWNLOAD:
            return ()
        return download.fetch_items(self.assignment(task), self.names)

    def stream(self, task: Task) -> StreamSpec | None:
        """What the task's program reads from its standard input; None for nothing at all."""
        if task.role != WORKER or task.index >= len(self.streams):
            return None
        return self.streams[task.index]

    def variables(self, task: Task) -> dict[str, str]:
        """Variables that tell the program its input."""
        if self.strategy is not InputStrategy.PLACEHOLDER or not self.listing:
            return {}
        return {placeholder.VARIABLE: placeholder.file_list(self.assignment(task))}

    def counts(self) -> dict[tuple[str, int], int]:
        """(role, index) -> number of files (with STREAM also those that are read in part), for the page."""
        tasks = [Task(WORKER, index, 1) for index in range(len(self.streams or self.assignments))]
        return {(task.role, task.index): self.files(task) for task in tasks}

    def files(self, task: Task) -> int:
        """Number of files that a task reads, with STREAM also in part."""
        if self.strategy is InputStrategy.STREAM:
            stream = self.stream(task)
            return len({split.uri for split in stream.splits}) if stream else 0
        return sum(map(len, self.assignment(task).values()))

    def views(self, job: JobSpec) -> tuple[InputView, ...]:
        """The inputs as people see them."""
        return tuple(
            InputView(
                spec.local,
                spec.patterns,
                len(self.listing.get(spec.local, ())),
                sum(status.size for status in self.listing.get(spec.local, ())),
            )
            for spec in job.inputs
        )


def plan_inputs(job: JobSpec, listing: Listing, config: Config, fss: FileSystems) -> InputPlan:
    """Deal the listed files, or their splits, to the workers of a job. Some formats read files for it.

    Raises
    ------
    UsageError, OSError
        See `xlearning.am.inputs.download.target_names` and `xlearning.am.inputs.stream.streams`.
    """
    workers = sum(role.instances for role in job.roles if role.name in (WORKER, CHIEF))
    if job.input_strategy is InputStrategy.STREAM:
        streams = stream.streams(job, listing, workers, config, fss)
        from xlearning.formats.deal import Order, order_of  # not loaded by other strategies

        # formats may tell hosts that nobody asked for
        near = order_of(config) is Order.LOCAL and any(split.hosts for s in streams for split in s.splits)
        return InputPlan(job.input_strategy, listing, (), streams=streams, near=near)
    names: Mapping[str, str] = {}
    if job.input_strategy is InputStrategy.DOWNLOAD:
        rename = config.get("xlearning.inputfile.rename")
        names = download.target_names(listing, rename=rename, stamp=int(job.submitted * 1000))
    shares = deal(listing, workers, dealing.rule(config))
    return InputPlan(job.input_strategy, listing, tuple(shares), names)
