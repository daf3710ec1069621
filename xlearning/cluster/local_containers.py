"""Containers as processes of this machine, under YARN's contract."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from xlearning.cluster import base, processes
from xlearning.cluster.base import CompletedContainer, GrantedContainer, LogChunk, PollResult
from xlearning.cluster.gpus import VISIBLE, Pool, gpus, of_this_machine
from xlearning.cluster.local_files import ENV_SLOTS, AppFolder, bootstrap, make_private, write_json
from xlearning.cluster.local_process import ContainerProcess
from xlearning.cluster.localize import LocalizationError, Localizer
from xlearning.cluster.log_pieces import log_files, read_piece
from xlearning.config import Config
from xlearning.errors import ClusterError
from xlearning.job import AppState, JobSpec, RoleSpec

log = logging.getLogger(__name__)

# YARN's ContainerExitStatus
LOCALIZATION_FAILED = -1000
COMMAND_NOT_FOUND = 127  # as a shell says

POLL_INTERVAL = 0.05  # seconds
MEMORY_INTERVAL = 1.0  # seconds between two looks at the memory
_PROGRESS_STEP = 0.01
# The agent stops the user's program with the same grace, and needs a moment of its own after that.
_AGENT_EXTRA = 3.0

_PASSED_ON = (
    *("PATH", "LANG", "LANGUAGE", "TZ", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LD_LIBRARY_PATH"),
    *("JAVA_HOME", "HADOOP_HOME", "HADOOP_COMMON_HOME", "HADOOP_HDFS_HOME", "HADOOP_YARN_HOME"),
    *("HADOOP_MAPRED_HOME", "HADOOP_CONF_DIR", "HADOOP_TOKEN_FILE_LOCATION", "HADOOP_USER_NAME", "CLASSPATH"),
    *("KRB5CCNAME", "KRB5_CONFIG", "XLEARNING_CONF_DIR"),
    *(
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "CONDA_DEFAULT_ENV",
        "PYTHONPATH",
        "CUDA_VISIBLE_DEVICES",
        "NVIDIA_VISIBLE_DEVICES",
    ),
    *("DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CONFIG_FILE"),
    *("AWS_SHARED_CREDENTIALS_FILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE"),
    *(base.ENV_APP_ID, base.ENV_STAGING, base.ENV_CREDENTIALS, base.ENV_HOST, base.ENV_BACKEND),
)


class LocalContainerManager:
    """The ApplicationMaster's side of the local back end. Safe to use from several threads.

    Parameters
    ----------
    app_dir : Path
        The application's folder, see `xlearning.cluster.local_files`.
    job : JobSpec
        Its resources and properties.
    slots : int
        How many containers may run at once; 0 for any number. Further requests wait.
    attempt : int
        Number of this attempt of the ApplicationMaster.
    agent : sequence of str, optional
        Command of an agent, when it is not the usual one.
    environ : mapping, optional
        Where the agents' environment is taken from.
    supervisor : int, optional
        Pid of the supervisor; the job is asked to stop when it is no longer our parent.
    """

    def __init__(
        self,
        app_dir: Path,
        job: JobSpec,
        slots: int = 0,
        *,
        attempt: int = 1,
        agent: Sequence[str] | None = None,
        environ: Mapping[str, str] = os.environ,
        supervisor: int | None = None,
    ) -> None:
        config = Config.from_properties(job.properties)
        self._files = AppFolder(app_dir)
        self._slots = slots
        self._attempt = attempt
        self._agent = list(agent) if agent is not None else [sys.executable, str(bootstrap()), "agent"]
        self._environ = {
            name: environ[name] for name in environ if name in _PASSED_ON or name.startswith("LC_")
        }
        if base.needs_tls(job):
            self._environ[base.ENV_TLS] = "1"
        self._supervisor = supervisor
        self._grace = float(config.get("xlearning.container.stop.grace")) + _AGENT_EXTRA
        self._localizer = Localizer(
            self._files.cache,
            job.resources,
            job.default_fs,
            timeout=float(config.get("xlearning.fs.timeout")),
            retry_time=float(config.get("xlearning.fs.retry.time")),
        )
        self._config = config
        asks = any(gpus(role, config) for role in job.roles)
        self._pool = Pool(of_this_machine(environ) if asks else ())
        self._lock = threading.Lock()
        self._waiting: deque[RoleSpec] = deque()
        self._running: dict[str, ContainerProcess] = {}
        self._leftovers: deque[tuple[float, str]] = deque()
        self._number = 1
        self._localizing: threading.Thread | None = None
        self._localization_error: str | None = None
        self._granted: list[GrantedContainer] = []  # not told yet, and so are these:
        self._completed: list[CompletedContainer] = []
        self._next_memory_look = 0.0
        self._page = ""
        self._progress = 0.0

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], job: JobSpec) -> LocalContainerManager:
        """The manager for the ApplicationMaster that the supervisor started with these variables."""
        missing = [name for name in (base.ENV_LOG_DIR, base.ENV_ATTEMPT) if name not in environ]
        if missing:
            raise ClusterError(f"not started by the local supervisor: {' and '.join(missing)} not set")
        return cls(
            Path(environ[base.ENV_LOG_DIR]).parents[2],
            job,
            int(environ.get(ENV_SLOTS, "0")),
            attempt=int(environ[base.ENV_ATTEMPT]),
            environ=environ,
            supervisor=os.getppid(),
        )

    @property
    def poll_interval(self) -> float:
        """Seconds between two polls."""
        return POLL_INTERVAL

    def request(self, role: RoleSpec, count: int) -> None:
        """Ask for ``count`` more containers; they start as soon as files and slots are there."""
        with self._lock:
            self._waiting.extend([role] * count)
            if self._localizing is None:
                self._localize()

    def poll(self) -> PollResult:
        """What started and what ended since the last call, and whether the supervisor is gone."""
        with self._lock:
            self._start_waiting()
            self._look_at_memory()
            for container in list(self._running.values()):
                ended = container.poll()
                if ended is not None:
                    del self._running[container.id]
                    self._pool.give_back(container.id)
                    self._leftovers.append((time.monotonic() + self._grace, container.id))
                    self._completed.append(ended)
            self._end_leftovers()
            granted, self._granted = self._granted, []
            completed, self._completed = self._completed, []
        stop = ""
        if self._supervisor is not None and os.getppid() != self._supervisor:
            stop = "the local supervisor has died"
        return PollResult(tuple(granted), tuple(completed), stop)

    def release(self, container_id: str) -> None:
        """TERM for the agent, KILL for it and all below it after the grace; ended ones are left alone."""
        with self._lock:
            if container_id in self._running:
                self._running[container_id].release(self._grace)

    def kill(self, container_id: str) -> None:
        """KILL for the agent and all below it."""
        with self._lock:
            if container_id in self._running:
                self._running[container_id].kill()

    def register_page(self, port: int, path: str) -> str:
        """The address of the page: it is reached directly."""
        url = (
            f"http://127.0.0.1:{port}/{path.strip('/')}/" if path.strip("/") else f"http://127.0.0.1:{port}/"
        )
        with self._lock:
            self._page = url
            self._write_status()
        return url

    def progress(self, fraction: float) -> None:
        """Note the progress for `LocalCluster.report`, when it moved by a hundredth or is complete."""
        with self._lock:
            moved = abs(fraction - self._progress)
            if moved >= _PROGRESS_STEP or (fraction >= 1.0 and moved > 0):
                self._progress = fraction
                self._write_status()

    def log_files(self, container_id: str) -> Mapping[str, int]:
        """Names and sizes (bytes) of the log files; none for an unknown container."""
        try:
            return log_files(self._files.container(container_id) / "logs")
        except ValueError:
            return {}

    def read_log(self, container_id: str, name: str, offset: int, limit: int) -> LogChunk:
        """See `xlearning.cluster.log_pieces.read_piece`."""
        if name not in self.log_files(container_id):
            raise FileNotFoundError(f"container {container_id} has no log file {name!r}")
        return read_piece(self._files.container(container_id) / "logs", name, offset, limit)

    def finish(self, state: AppState, diagnostics: str, *, retry: bool) -> bool:
        """Leave the last word for the supervisor, who acts on it when this process has ended."""
        said = {"state": state.value, "diagnostics": diagnostics, "retry": retry}
        write_json(self._files.am(self._attempt) / "finish.json", said)
        return retry

    def close(self) -> None:
        """Nothing more to say: the supervisor waits for the end of this process."""

    def _localize(self) -> None:
        """Get the resources: at once where that only means to look, else in a thread."""
        if self._localizer.quick:
            self._prepare()
            return
        self._localizing = threading.Thread(target=self._prepare, name="localizer", daemon=True)
        self._localizing.start()

    def _prepare(self) -> None:
        try:
            self._localizer.prepare()
            self._localization_error = None
        except LocalizationError as error:
            self._localization_error = error.message
        except Exception as error:  # whatever it is, no program must start without its files
            log.exception("localization failed")
            self._localization_error = f"localization failed: {error!r}"

    def _start_waiting(self) -> None:
        if self._localizing is not None:
            if self._localizing.is_alive():
                return
            self._localizing = None
        while self._waiting and (not self._slots or len(self._running) < self._slots):
            if not self._pool.has(gpus(self._waiting[0], self._config)):
                break
            container, failure = self._start(self._waiting.popleft())
            self._granted.append(container)
            if failure is not None:
                self._pool.give_back(failure.id)
                self._completed.append(failure)

    def _start(self, role: RoleSpec) -> tuple[GrantedContainer, CompletedContainer | None]:
        """Start one agent; a container that ended at once when its files or its interpreter cannot be had."""
        self._number += 1
        container_id = self._files.container_id(self._attempt, self._number)
        folder = self._files.container(container_id)
        work, logs = folder / "work", folder / "logs"
        granted = GrantedContainer(
            container_id, role.name, self._environ.get(base.ENV_HOST, "127.0.0.1"), logs.as_uri()
        )
        try:
            make_private(work)
            make_private(logs)
            if self._localization_error is not None:
                failure = CompletedContainer(container_id, LOCALIZATION_FAILED, self._localization_error)
                return granted, failure
            self._localizer.link(work)
            env = self._container_environ(container_id, role, work, logs)
            self._running[container_id] = ContainerProcess(
                container_id, self._agent, work, logs, env, role.memory_mb
            )
        except OSError as error:
            words = f"cannot start the container: {error.strerror}: {error.filename}"
            return granted, CompletedContainer(container_id, COMMAND_NOT_FOUND, words)
        return granted, None

    def _container_environ(self, container_id: str, role: RoleSpec, work: Path, logs: Path) -> dict[str, str]:
        scratch = make_private(self._files.scratch)
        given = self._pool.take(container_id, gpus(role, self._config))
        return {
            **self._environ,
            **({VISIBLE: ",".join(given)} if given else {}),
            base.ENV_ATTEMPT: str(self._attempt),
            base.ENV_CONTAINER_ID: container_id,
            base.ENV_ROLE: role.name,
            base.ENV_LOG_DIR: str(logs),
            "NM_HOST": self._environ.get(base.ENV_HOST, "127.0.0.1"),
            "LOCAL_DIRS": str(scratch),
            "LOG_DIRS": str(logs),
            "PWD": str(work),
        }

    def _look_at_memory(self) -> None:
        now = time.monotonic()
        if now < self._next_memory_look or not self._running:
            return
        self._next_memory_look = now + MEMORY_INTERVAL
        table = processes.table()
        for container in self._running.values():
            container.look_at_memory(table)

    def _end_leftovers(self) -> None:
        """KILL what a container that ended long ago still runs: its guardian must have died as well."""
        while self._leftovers and self._leftovers[0][0] <= time.monotonic():
            _deadline, container_id = self._leftovers.popleft()
            marker = f"{base.ENV_CONTAINER_ID}={container_id}"
            processes.kill(lambda table, marker=marker: processes.marked(table, [marker]))  # type: ignore[misc]

    def _write_status(self) -> None:
        status = {"tracking_url": self._page, "progress": self._progress}
        write_json(self._files.am(self._attempt) / "status.json", status)
