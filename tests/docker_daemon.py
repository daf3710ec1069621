"""A real Docker for tests: the machine's own, or one that is started where its programs are installed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import resource
import shutil
import subprocess
import tarfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from submitting import wait_for

_TOOLS = ("bash", "cat", "id", "mkdir", "sleep", "touch")


class Docker:
    """Docker's command with the daemon behind it, and an image of `_TOOLS`.

    Attributes
    ----------
    command : Path
        A program that is ``docker`` with this daemon, whatever its environment.
    image : str
    """

    def __init__(self, folder: Path, host: str) -> None:
        self.command = folder / "docker"
        self.command.write_text(f'#!/bin/sh\nexec "{shutil.which("docker")}" --host "{host}" "$@"\n')
        self.command.chmod(0o755)
        self.image = f"xlearning-test:{uuid.uuid4().hex}"

    def __call__(self, *words: str, data: bytes = b"") -> str:
        ended = subprocess.run(
            [self.command, *words], input=data, capture_output=True, timeout=120, check=True
        )
        return ended.stdout.decode().strip()

    def of_application(self, app_id: str) -> list[str]:
        """Its containers, running or not."""
        return self("ps", "--all", "--quiet", "--filter", f"label=xlearning.application={app_id}").split()

    @contextlib.contextmanager
    def with_image(self) -> Iterator[Docker]:
        """The image is there for a while."""
        self("import", "-", self.image, data=_root())
        yield self
        self("image", "rm", self.image)


@contextlib.contextmanager
def real_docker(folder: Path) -> Iterator[Docker]:
    """The Docker of this machine; skips the test where there is none."""
    if shutil.which("docker") is None:
        pytest.skip("there is no docker on this machine")
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    words = _refused(host)
    with contextlib.ExitStack() as stack:
        if words:
            if shutil.which("dockerd") is None or os.getuid() != 0:
                pytest.skip(f"no Docker answers, and none can be started here: {words}")
            host = stack.enter_context(_daemon(folder))
        yield stack.enter_context(Docker(folder, host).with_image())


def _refused(host: str) -> str:
    """Why no daemon answers there; empty where one does."""
    asked = subprocess.run(
        ["docker", "--host", host, "version", "--format", "{{.Server.Version}}"],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    return "" if asked.returncode == 0 else asked.stderr.strip()


@contextlib.contextmanager
def _daemon(folder: Path) -> Iterator[str]:
    """A daemon of our own, which changes nothing of the machine's network."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    host = f"unix://{folder}/docker.sock"
    settings = {
        "hosts": [host],
        "pidfile": f"{folder}/pid",
        "data-root": f"{folder}/data",
        "exec-root": f"{folder}/exec",
        "storage-driver": "vfs",
        "bridge": "none",
        "iptables": False,
        "ip6tables": False,
        "default-ulimits": {"nofile": {"Name": "nofile", "Hard": files, "Soft": files}},
    }
    (folder / "daemon.json").write_text(json.dumps(settings))
    log = folder / "dockerd.log"
    with log.open("wb") as said:
        process = subprocess.Popen(
            ["dockerd", "--config-file", folder / "daemon.json"], stdout=said, stderr=said
        )
    try:
        wait_for(lambda: process.poll() is not None or not _refused(host), 60, "dockerd does not answer")
        if process.poll() is not None:
            pytest.skip(f"dockerd does not run here: {log.read_text().strip().splitlines()[-1]}")
        yield host
    finally:
        process.terminate()
        process.wait(60)
        left = folder / "exec" / "netns" / "default"  # a mount that the daemon leaves behind
        if left.exists():
            subprocess.run(["umount", left], check=True)


def _root() -> bytes:
    """An archive of this machine's `_TOOLS` with the libraries that they need."""
    tools = [found for name in _TOOLS if (found := shutil.which(name))]
    listed = subprocess.run(["ldd", *tools], capture_output=True, text=True, check=True).stdout
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", dereference=True) as tar:
        for tool in tools:
            tar.add(tool, f"bin/{Path(tool).name}")
        for library in sorted(set(re.findall(r"/\S+\.so\S*", listed))):
            tar.add(library, library.removeprefix("/"))
        tar.addfile(tarfile.TarInfo("etc/of-the-image"))
    return archive.getvalue()
