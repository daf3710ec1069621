"""From a request and its configuration to a job; all problems are found before anything runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xlearning.client.planning import board as boards
from xlearning.client.planning import (
    carry,
    collisions,
    docker,
    idle,
    inputs,
    modules,
    outputs,
    own_disks,
    replaced,
    resources,
    roles,
    saved_models,
    sinks,
    streams,
    variables,
)
from xlearning.client.planning.inputs import Listing
from xlearning.client.planning.request import Request
from xlearning.client.planning.resources import Shipped
from xlearning.client.problems import Problem, refuse
from xlearning.config import Config
from xlearning.config.effects import judge
from xlearning.fs import FileSystems, dealing
from xlearning.fs.replacing import OVERWRITE
from xlearning.job import InputStrategy, JobSpec, OutputSpec, OutputStrategy, StreamSpec

DEFAULT_TYPE = "XLEARNING"

# What a back end has to say to a job with these files: problems, and notes, which it adds to the list.
Preflight = Callable[[JobSpec, Sequence[Shipped], list[str]], Sequence[Problem]]


def _nothing_to_say(job: JobSpec, shipped: Sequence[Shipped], notes: list[str]) -> Sequence[Problem]:  # noqa: ARG001
    return ()


@dataclass(frozen=True)
class Plan:
    """What would run.

    Attributes
    ----------
    job : JobSpec
        Without application id, staging folder and time of submission, which come with submission.
    listings : tuple of Listing
        The files of each input.
    shipped : tuple of Shipped
        Files and archives for the containers.
    sweep : tuple of str
        Outputs that hold ``_temporary`` of dead applications, to be swept before the start.
    workers : int
        Workers that share the inputs: file i goes to worker i mod workers.
    streams : tuple of StreamSpec
        With the input strategy STREAM what each worker is fed; else empty.
    notes : tuple of str
        What was decided for the user, one line each.
    libraries : tuple of str
        Optional packages that the job needs where it runs.
    """

    job: JobSpec
    listings: tuple[Listing, ...]
    shipped: tuple[Shipped, ...]
    sweep: tuple[str, ...]
    workers: int
    streams: tuple[StreamSpec, ...]
    notes: tuple[str, ...]
    libraries: tuple[str, ...]


@dataclass(frozen=True)
class Setting:
    """Where a plan is made.

    Attributes
    ----------
    now : float
        Seconds since 1970.
    report : callable
        How to ask for applications.
    local : bool
        Whether the job runs on this machine.
    preflight : callable
        What the back end has to say to the job.
    shown : bool
        Whether the plan is to be looked at; else it may leave out splits that are costly to find.
    """

    user: str
    now: float
    default_fs: str
    report: outputs.Report
    local: bool = False
    preflight: Preflight = _nothing_to_say
    shown: bool = True


def make_plan(
    request: Request,
    config: Config,
    fss: FileSystems,
    setting: Setting,
    *,
    problems: Sequence[Problem] = (),
    config_complete: bool = True,
) -> Plan:
    """Plan a job.

    Parameters
    ----------
    problems : sequence of Problem
        What is known to be wrong already; reported together with what the plan finds.
    config_complete : bool
        False when ``config`` stands in for one that could not be read: then only the paths are
        looked at.

    Raises
    ------
    xlearning.errors.UsageError
        Naming all problems. A file system that does not answer is one, and is asked no more.
    """
    found = [*problems, *(Problem(message, fix) for message, fix in judge(config).problems)]
    notes: list[str] = []
    input_specs = inputs.parse(request.inputs, fss, found)
    default_local = config.get("xlearning.output.local.dir")
    output_specs = outputs.parse(request.outputs, fss, default_name=default_local, problems=found)
    outputs.check_overlap(output_specs, found)
    outputs.tell_read_again(output_specs, input_specs, notes)
    if not setting.local:
        own_disks.tell(input_specs, output_specs, setting.default_fs, fss, notes)
    shipped = resources.collect(
        files=request.files,
        cache_files=request.cache_files,
        archives=request.archives,
        cache_archives=request.cache_archives,
        jars=request.jars,
        fss=fss,
        problems=found,
    )
    app_type = (request.app_type or DEFAULT_TYPE).strip() or DEFAULT_TYPE
    app_type = app_type if ":" in app_type else app_type.upper()
    outside = roles.outside(app_type, found)
    own_modules = modules.collect(config, outside, shipped, fss, found)
    type_ = roles.rules(app_type, outside, found)
    docker.check(app_type, type_, config, found, notes, local=setting.local)
    output_strategy = OutputStrategy(config.get("xlearning.output.strategy"))
    if output_strategy is OutputStrategy.STREAM:
        sinks.check(request, len(output_specs), config, found, notes)
    own = variables.variables(request, config, found)
    carry.check(request.command, own, found, local=setting.local)
    search = variables.search_paths(request, config, found)
    variables.tell_placeholders(request, notes)
    allow_empty = bool(config.get("xlearning.input.allow.empty"))
    strategy = InputStrategy(config.get("xlearning.input.strategy"))
    streaming = strategy is InputStrategy.STREAM
    idle.tell(config, strategy, output_strategy, notes)
    if not outside:  # which may read what it likes
        idle.tell_type(app_type, config, notes)
    listings = inputs.list_inputs(
        input_specs, fss, allow_empty=allow_empty, hidden=not streaming, problems=found
    )
    saves = config.get("xlearning.interresult.dir")
    saved_models.tell_read(listings, saves, notes)
    outputs.check_saves(saves, found)
    existing = config.get("xlearning.output.existing")
    sweep = outputs.check_free(
        output_specs,
        fss,
        user=setting.user,
        report=setting.report,
        saves=saves,
        existing=existing,
        inputs=input_specs,
        problems=found,
        notes=notes,
    )
    replaced.check_failures(existing, config.get("xlearning.failed.upload"), found)
    if existing == OVERWRITE:
        files = (file.path for listing in listings for file in listing.files)
        sent = (item.resource.uri for item in shipped)
        replaced.check((spec.remote for spec in output_specs), itertools.chain(files, sent), found)
    if not config_complete:
        refuse(found)
    _check_local_names(listings, output_specs, shipped, config, found)
    crew = roles.asked(app_type, type_, config, found, notes)
    wanted_workers = crew.workers
    if streaming:
        feeds = streams.plan(
            request, listings, shipped, crew.workers, config, fss, found, notes, shown=setting.shown
        )
    else:
        feeds = ()
        if not dealing.rule(config).whole:
            crew = roles.match_files(crew, _smallest(listings), config, notes)
    roles.check(type_, crew, config, found, notes)
    asked = type_.roles(crew, config)
    roles.check_limit(asked, config, found)
    if setting.local:
        roles.check_slots(asked, config.get("xlearning.local.slots"), found)
    else:
        from xlearning.client.packaging import delivery  # not needed, and not loaded, for local jobs

        delivery.check(config, fss, found)
    output_index = _output_index(request.output_index, crew.workers, found)
    numbers = (crew.workers, wanted_workers, crew.ps)
    board = boards.plan(app_type, numbers, config, fss, found, notes, local=setting.local)
    name = request.app_name.strip() or f"XLearning-{int(setting.now * 1000)}"
    job = JobSpec(
        app_id="",
        app_name=name,
        app_type=app_type,
        user=setting.user,
        command=request.command,
        roles=asked,
        staging="",
        default_fs=setting.default_fs,
        inputs=tuple(input_specs),
        input_strategy=strategy,
        outputs=tuple(output_specs),
        output_strategy=output_strategy,
        output_index=output_index,
        resources=tuple(item.resource for item in shipped),
        env=own,
        properties=config.explicit(),
        board=board,
        search=search,
        template=bool(request.template),
        framework=outside,
        modules=own_modules,
    )
    type_.rules(job, config)  # a type of the user's own may have none that a job can run by
    if not found:
        collisions.tell(type_, job, config, notes)
    libraries: tuple[str, ...] = ()
    if not setting.local or streaming or output_strategy is OutputStrategy.STREAM:
        from xlearning.client.planning.extras import needed  # not loaded by plain local jobs

        libraries = needed(job, listings, found)
    found += setting.preflight(job, shipped, notes)
    refuse(found)
    return Plan(
        job, tuple(listings), tuple(shipped), tuple(sweep), crew.workers, feeds, tuple(notes), libraries
    )


def _check_local_names(
    listings: Sequence[Listing],
    output_specs: Sequence[OutputSpec],
    shipped: Sequence[Shipped],
    config: Config,
    problems: list[Problem],
) -> None:
    downloads = config.get("xlearning.input.strategy") == InputStrategy.DOWNLOAD.value
    if downloads and not config.get("xlearning.inputfile.rename"):
        inputs.check_names(listings, problems)
    folders = {spec.local: "output" for spec in output_specs}
    if downloads:
        folders |= {listing.spec.local: "input" for listing in listings}
    _check_folders(folders, output_specs, problems)
    for item in shipped:
        name = item.resource.name
        for folder, what in folders.items():
            if folder.split("/")[0] == name:
                problems.append(
                    Problem(
                        f"{item.resource.uri} and the {what} folder {folder} "
                        f"would both be {name} in the containers",
                        "give one another name after #",
                    )
                )


def _check_folders(
    folders: Mapping[str, str], output_specs: Sequence[OutputSpec], problems: list[Problem]
) -> None:
    """Inputs inside of outputs; ``folders`` says of each local folder what it is."""
    for output in output_specs:
        for name, what in folders.items():
            if what == "input" and f"{name}/".startswith(f"{output.local}/"):
                problems.append(
                    Problem(
                        f"the input folder {name} lies in the output folder {output.local}, so its files "
                        f"would be published to {output.remote} too",
                        "give one another name after #",
                    )
                )


def _smallest(listings: Sequence[Listing]) -> int:
    return min((len(listing.files) for listing in listings if listing.files), default=0)


def _output_index(text: str | None, workers: int, problems: list[Problem]) -> int | None:
    if text is None:
        return None
    try:
        index = int(text)
    except ValueError:
        problems.append(
            Problem(f"--output-index {text} is not a whole number", "give the number of a worker")
        )
        return None
    if index == -1:
        return None
    if not 0 <= index < workers:
        problems.append(
            Problem(
                f"--output-index {index}: there is no such worker, so nothing would be published",
                f"give a number from 0 to {workers - 1}, or leave it out to publish from all workers",
            )
        )
    return index
