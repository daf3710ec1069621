"""A user's program in a Docker container: looks at the node, pulls the image, knows its processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import psutil

from xlearning.config import Config
from xlearning.container import docker
from xlearning.container.identity import Identity
from xlearning.container.process import After, UserProcess
from xlearning.errors import XLearningError
from xlearning.job import LaunchSpec

LOG = "docker.log"  # beside the program's own logs: what pulling and removing say
_INSPECT_TIME = 10.0  # seconds
_INSTALL = "install and start Docker on the nodes, or name its command with xlearning.docker.command"


class DockerProgram:
    """Docker's side of one program.

    Parameters
    ----------
    spec : LaunchSpec
    work : Path
        The container's working folder.
    """

    def __init__(self, spec: LaunchSpec, identity: Identity, work: Path, config: Config) -> None:
        self._spec = spec
        self._identity = identity
        self._work = work
        self._config = config
        self._log = identity.log_dir / LOG
        self._environ = docker.client_environ(os.environ)
        self._pid: int | None = None

    async def pull(self, stopping: asyncio.Event) -> None:
        """Get the image, unless the job says that it is there; given up when ``stopping`` is set.

        Raises
        ------
        xlearning.errors.XLearningError
            It cannot be had; with Docker's last words.
        """
        if not self._config.get("xlearning.docker.pull"):
            return
        command = docker.pull(self._config)
        before = self._log.stat().st_size if self._log.exists() else 0
        with self._log.open("ab") as log:
            try:
                process = await asyncio.create_subprocess_exec(
                    *command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environ
                )
            except OSError as error:
                raise _no_docker(command[0], error) from error
        stopped = asyncio.ensure_future(stopping.wait())
        ended = asyncio.ensure_future(process.wait())
        try:
            await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            if process.returncode is None:
                process.kill()
                await ended
        if process.returncode != 0 and not stopping.is_set():
            with self._log.open("rb") as said:
                said.seek(before)
                lines = said.read().decode("utf-8", "backslashreplace").split("\n")
            words = next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
            if "Docker daemon" in words:
                raise XLearningError(f"docker pull {command[-1]} failed: {words}", hint=_INSTALL)
            raise XLearningError(
                f"docker pull {command[-1]} failed: {words}",
                hint="correct the image or log in to its registry on the nodes; where the image is on every "
                "node already, set xlearning.docker.pull=false",
            )

    def run(self, variables: Mapping[str, str], devices: Sequence[str]) -> docker.Run:
        """What to start in place of the program. Looks at the disk.

        Parameters
        ----------
        variables : mapping
            Of the program.
        devices : sequence of str
            Ids of the GPUs that this container was given.
        """
        spec = self._spec
        wanted = docker.Wanted(
            command=spec.command,
            variables=variables,
            own=spec.env.keys(),
            memory_mb=spec.memory_mb,
            vcores=spec.vcores,
            gpus=spec.gpus,
            devices=devices,
            stdin=spec.stream is not None,
        )
        return docker.run(wanted, self._place(), self._config)

    @property
    def after(self) -> After:
        """Ends the container, whatever became of the command that started it, and removes it."""
        return After(docker.remove(self._config, self._identity.container_id), self._environ, self._log)

    def processes(self, client: UserProcess) -> list[psutil.Process]:
        """Those of the program, which are no children of ours, and of Docker's command. Blocks."""
        found = client.tree()
        if self._pid is None and found:
            self._pid = self._find()
        if self._pid is not None:
            try:
                root = psutil.Process(self._pid)
                found += [root, *root.children(recursive=True)]
            except psutil.NoSuchProcess:
                return found
        return found

    def _find(self) -> int | None:
        """The program's process id on this node; None while it has none."""
        command = docker.find(self._config, self._identity.container_id)
        try:
            said = subprocess.run(
                command, env=self._environ, capture_output=True, timeout=_INSPECT_TIME, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        text = said.stdout.strip()
        return int(text) or None if said.returncode == 0 and text.isdigit() else None

    def _place(self) -> docker.Place:
        environ = os.environ
        folders = [
            folder for name in ("LOCAL_DIRS", "LOG_DIRS") for folder in environ.get(name, "").split(",")
        ]
        return docker.Place(
            name=self._identity.container_id,
            app_id=self._identity.app_id,
            work=str(self._work.absolute()),
            log_dir=str(self._identity.log_dir),
            folders=[folder for folder in folders if folder],
            links=_links(self._work),
            user=os.getuid(),
            group=os.getgid(),
            groups=_groups(),
            environ=environ,
            exists=os.path.exists,
        )


def _groups() -> Collection[int]:
    return os.getgroups()


def _links(work: Path) -> list[str]:
    return sorted(str(path.resolve()) for path in work.iterdir() if path.is_symlink())


def _no_docker(command: str, error: OSError) -> XLearningError:
    return XLearningError(
        f"this node cannot run {command}: {error.strerror}",
        hint=_INSTALL,
    )
