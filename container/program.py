"""One launch of the user's program: its folder, its input, its process, its exit."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import logging
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from xlearning.cluster import docker
from xlearning.cluster.base import ENV_CREDENTIALS, ENV_OWN_FILES
from xlearning.config import Config
from xlearning.container import blocking, node
from xlearning.container.amount import Amount
from xlearning.container.environment import Environment, build
from xlearning.container.identity import Identity
from xlearning.container.inputs import manifest
from xlearning.container.inputs.download import fetch
from xlearning.container.inputs.stream import Feed, Feeder
from xlearning.container.loglimit import LogLimit
from xlearning.container.logs import ProgressReader, last_lines
from xlearning.container.metrics import TreeMeter, Usage
from xlearning.container.outputs import hold
from xlearning.container.paths import inside, write
from xlearning.container.process import DRAIN, OUTPUT_DRAIN, ProcessExit, UserProcess
from xlearning.errors import XLearningError
from xlearning.frameworks.base import AGENT_PYTHON
from xlearning.fs import FileSystems
from xlearning.job import LaunchSpec

if TYPE_CHECKING:
    from xlearning.container.docker_program import DockerProgram
    from xlearning.container.gpus import GpuMeter
    from xlearning.container.outputs.stream import Sink

log = logging.getLogger(__name__)

STDOUT, STDERR = "stdout", "stderr"
DOCKER_FAILED = 125  # exit code of docker run where it could not run anything
_LOG_LOOK = 0.25  # seconds
_CANCEL_TIME = 1.0  # seconds for transfers to notice that they are no longer wanted


@dataclass(frozen=True)
class Exited:
    """How the program ended, with the last lines of its output."""

    exit: ProcessExit
    last_lines: Sequence[str] = field(default_factory=tuple)


class Program:
    """The user's program in this container.

    Attributes
    ----------
    fetched : Amount
        Progress of the download.
    usage : Usage
        Newest sample of its process tree.
    sink : Sink or None
        Takes its standard output, once it was started; None where that goes to the logs.
    """

    def __init__(self, spec: LaunchSpec, identity: Identity, work: Path, config: Config) -> None:
        self.spec = spec
        self.fetched = Amount()
        self._fetching = False
        self.usage = Usage()
        self._reported: float | None = None
        self._feed: Feed | None = None
        self._identity = identity
        self._work = work
        self._config = config
        self._cancel = threading.Event()
        self._stopping = asyncio.Event()
        self._process: UserProcess | None = None
        self.sink: Sink | None = None
        self._logs = [identity.log_dir / STDERR, identity.log_dir / STDOUT]
        self._environment: Mapping[str, str] = {}
        self._gpus: GpuMeter | None = None
        self._complaints: set[str] = set()
        self._docker: DockerProgram | None = None
        if docker.runtime(config) == docker.AGENT and spec.command[:1] != (AGENT_PYTHON,):
            from xlearning.container.docker_program import DockerProgram  # loaded where it is used only

            self._docker = DockerProgram(spec, identity, work, config)

    @property
    def progress(self) -> float | None:
        """0..1, as the program reports it in its output, else the share of its input that it was fed."""
        if self._reported is None and self._feed is not None:
            return self._feed.share
        return self._reported

    @property
    def moving(self) -> Amount | None:
        """The input that is being fetched or fed; None while there is none."""
        if self._fetching:
            return self.fetched
        return self._feed.moving if self._feed is not None else None

    @property
    def pid(self) -> int | None:
        """Id of the process; None while there is none."""
        return self._process.pid if self._process is not None else None

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of the program; empty before `start`."""
        return self._environment

    async def prepare(self, fss: FileSystems) -> None:
        """Make folders and files, and fetch the input.

        Raises
        ------
        xlearning.errors.XLearningError, OSError
            Something could not be made or fetched.
        """
        if docker.runtime(self._config) == docker.YARN and not node.in_docker():
            raise XLearningError(
                "this container was to be started in Docker by YARN, and its NodeManager started it without",
                hint="the administrator must allow the Docker runtime on every node; "
                "xlearning.docker.runtime=AGENT lets XLearning start Docker",
            )
        await blocking.call(self._lay_out, name="lay-out")
        self.fetched.expect(len(self.spec.fetch), sum(item.size for item in self.spec.fetch))
        self._fetching = True
        try:
            await self._fetch(fss)
        finally:
            self._fetching = False
        if self._docker is not None:
            await self._docker.pull(self._stopping)

    async def _fetch(self, fss: FileSystems) -> None:
        """Fetch, but do not wait for a transfer that hangs once the order to stop has come."""
        download = functools.partial(
            fetch,
            self.spec,
            self._work,
            fss,
            self._config,
            cancel=self._cancel,
            on_progress=self.fetched.update,
        )
        transfer = asyncio.ensure_future(blocking.call(download, name="fetch"))
        stopped = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({transfer, stopped}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({transfer}, timeout=_CANCEL_TIME)
            if transfer.done():
                transfer.result()
        finally:
            transfer.cancel()
            stopped.cancel()

    async def start(self, fss: FileSystems) -> int | None:
        """Start the process; its id, or None when that failed (`wait` then says why).

        Parameters
        ----------
        fss : FileSystems
            Where its standard input comes from, and its output goes to, if they do.
        """
        environment = await blocking.call(self._build_environment, name="environment")
        for name, text in environment.files.items():
            write(self._work, name, text)
        if self.spec.stream is not None:
            write(self._work, manifest.FILE, manifest.text(self.spec.stream))
        (self._work / "tmp").mkdir(exist_ok=True)
        self._environment = environment.variables
        if self.spec.gpus:
            from xlearning.container import gpus  # loaded where it is used only

            self._gpus = await blocking.call(lambda: gpus.find(environment.variables), name="gpus")
        command: Sequence[str] = self.spec.command
        variables, after = environment.variables, None
        if self._docker is not None:
            devices = self._gpus.ids if self._gpus is not None else ()
            run = await blocking.call(functools.partial(self._docker.run, variables, devices), name="docker")
            command, variables, after = run.command, run.environ, self._docker.after
        start = functools.partial(
            UserProcess.start,
            _words(command),
            variables,
            self._work,
            after=after,
            stderr=self._identity.log_dir / STDERR,
            grace=self._config.get("xlearning.container.stop.grace"),
        )
        with contextlib.ExitStack() as ours:
            feeder = sink = None
            if self.spec.stream is not None:
                _offer_jars(self.spec.stream.format, self._work)
                feeder = ours.enter_context(Feeder(self.spec.stream, fss, self._config, self._work))
            if self.spec.sink is not None:
                _offer_jars(self.spec.sink.format, self._work)
                from xlearning.container.outputs.stream import Sink  # loaded where it is used only

                sink = ours.enter_context(Sink(self.spec.sink, self._work, fss, self._config))
                await blocking.call(sink.open, name="format")
            self._process = await start(
                stdin=None if feeder is None else feeder.read_end,
                stdout=self._identity.log_dir / STDOUT if sink is None else sink.write_end,
                drain=DRAIN if sink is None else OUTPUT_DRAIN,
            )
            if sink is not None:
                sink.start(self._process.order_stop)
                self.sink = sink
            if feeder is not None:
                self._feed = Feed(feeder, self._process.order_stop)
        if self._cancel.is_set():  # the order to stop came while it started
            self._process.order_stop()
        return self._process.pid

    async def wait(self, sample_every: float, failing: Callable[[Exited], None]) -> Exited:
        """Wait for the end of a started program and of all that it left behind.

        Meanwhile `progress` and `usage` are kept fresh, the latter every ``sample_every`` seconds. Of a
        program that has failed by itself ``failing`` is told at once: what it left may take its time.
        """
        assert self._process is not None
        ended = asyncio.Event()
        early = asyncio.create_task(self._tell_failing(failing))
        watchers = asyncio.gather(self._follow_logs(ended), self._follow_usage(ended, sample_every))
        try:
            end = await self._process.wait()
            if self.sink is not None:
                end = await self.sink.judge(end)
            if self._feed is not None:
                end = await self._feed.judge(end)
            ended.set()
            await watchers
        finally:
            watchers.cancel()
            early.cancel()
        self.usage = Usage()
        if self._docker is not None and end.code == DOCKER_FAILED:
            end = dataclasses.replace(end, reason=f"docker run failed ({end.reason})")
        return Exited(end, self._last_lines())

    async def _tell_failing(self, failing: Callable[[Exited], None]) -> None:
        assert self._process is not None
        end = await self._process.wait_alone()
        if any(data is not None and data.failed for data in (self.sink, self._feed)):
            return  # it died of a closed pipe before the order to stop came: `wait` tells why
        if end.code and not (self._docker is not None and end.code == DOCKER_FAILED):
            failing(Exited(end, self._last_lines()))

    async def measure(self) -> None:
        """Sample the process tree once more, while it is there."""
        if self._process is not None:
            await self._take_sample(TreeMeter(self._tree))

    async def stop(self, grace: float) -> None:
        """Give up fetching; end a running process: TERM, ``grace`` seconds, KILL."""
        self._cancel.set()
        self._stopping.set()
        if self._process is not None:
            await self._process.stop(grace)

    def _lay_out(self) -> None:
        for name in self.spec.folders:
            inside(self._work, name, "folder").mkdir(parents=True, exist_ok=True)
        for name, text in self.spec.files.items():
            write(self._work, name, text)

    def _build_environment(self) -> Environment:
        limit = self._config.get("xlearning.env.maxlength")
        extra = self.spec.env
        if self.spec.command[0] == AGENT_PYTHON:  # a program of ours may speak for the application
            own = {ENV_CREDENTIALS: str(self._identity.credentials), ENV_OWN_FILES: str(self.spec.own_files)}
            extra = {**extra, **own}
        if self.spec.stream is not None:
            extra = {**manifest.variables(self.spec.stream, self._work), **extra}
        extra = {**hold.variables(self._work, self._config), **self._interfaces(), **extra}
        return build(
            node.here(self._identity, self._work), extra, self.spec.overflow, limit, self.spec.search
        )

    def _interfaces(self) -> Mapping[str, str]:
        wanted = {name: host for name, host in self.spec.interfaces.items() if name not in self.spec.env}
        if not wanted:
            return {}
        from xlearning.container.interface import interface_to  # loaded where it is asked for only

        found = {name: interface_to(host) for name, host in wanted.items()}
        return {name: interface for name, interface in found.items() if interface is not None}

    def _last_lines(self) -> Sequence[str]:
        try:
            return last_lines(self._logs)
        except OSError as error:
            log.warning("the program's last lines cannot be read: %s", error)
            return ()

    async def _take_sample(self, meter: TreeMeter) -> None:
        """Keep `usage` fresh; whatever goes wrong with it, the program's end has to be told."""
        try:
            self.usage = await blocking.call(lambda: self._sample(meter), name="usage")
        except Exception as error:  # noqa: BLE001 - told by `_complain`
            self._complain("the use of memory and processors cannot be measured", error)

    def _complain(self, what: str, error: Exception) -> None:
        """Tell what does not work, loudly only once: it is tried again all the time."""
        level = logging.DEBUG if what in self._complaints else logging.WARNING
        self._complaints.add(what)
        log.log(level, "%s: %s", what, error, exc_info=None if isinstance(error, OSError) else error)

    def _sample(self, meter: TreeMeter) -> Usage:
        usage = meter.sample()
        return usage if self._gpus is None else dataclasses.replace(usage, gpus=self._gpus.sample())

    def _tree(self) -> list[psutil.Process]:
        assert self._process is not None
        return self._process.tree() if self._docker is None else self._docker.processes(self._process)

    async def _follow_logs(self, ended: asyncio.Event) -> None:
        reader = ProgressReader(self._logs)
        limit = LogLimit(self._logs, self._config.get("xlearning.log.max.size"))

        def look(final: bool) -> float | None:
            progress = reader.poll(final=final)
            reader.cut(limit.enforce())
            return progress

        last = False
        while not last:
            last = ended.is_set()
            try:
                self._reported = await blocking.call(functools.partial(look, last), name="logs")
            except Exception as error:  # noqa: BLE001 - as with the figures
                self._complain("cannot read or shorten the program's output", error)
            await _pause(ended, _LOG_LOOK)

    async def _follow_usage(self, ended: asyncio.Event, every: float) -> None:
        assert self._process is not None
        meter = TreeMeter(self._tree)
        while not ended.is_set():
            self._process.wake_guardian()
            await self._take_sample(meter)
            await _pause(ended, every)


async def _pause(ended: asyncio.Event, seconds: float) -> None:
    """Sleep, but not beyond the end."""
    if not ended.is_set():
        try:
            await asyncio.wait_for(ended.wait(), seconds)
        except asyncio.TimeoutError:
            return


def _words(command: Sequence[str]) -> Sequence[str]:
    """The command, with our own Python where it asks for that."""
    return [sys.executable, *command[1:]] if command[0] == AGENT_PYTHON else command


def _offer_jars(format_: str, work: Path) -> None:
    from xlearning.formats.own import is_java  # not loaded by programs that are not fed

    if is_java(format_):
        from xlearning.formats.java import classpath

        classpath.offer(str(jar) for jar in sorted(work.glob("*.jar")))
