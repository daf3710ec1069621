"""What launcher and nodes share: the plan of the job, their connection, and where Open MPI is.

The connection is TLS with the credentials of the application on both sides, so that only its own
containers can ask for a process; one JSON object per line.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import ssl
import sys
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from xlearning.container.mpi import scripts

CREDENTIALS = "XLEARNING_CREDENTIALS"
OWN_FILES = "XLEARNING_OWN_FILES"
FOLDER = Path(sys.argv[0]).resolve().parent
LONGEST_LINE = 16 << 20  # bytes
NOT_FOUND = 127


@dataclass(frozen=True)
class Plan:
    """The job as the ApplicationMaster wrote it into ``plan.json``.

    Attributes
    ----------
    index : int
        Number of this node; -1 in the launcher.
    nodes, processes : int
        How many containers, and how many ranks in each by default.
    address : str
        What this container's ports, or its host, are reached by.
    launcher : tuple
        Host and port of the launcher.
    home : str
        Folder of Open MPI, relative ones in the working folder.
    home_given : bool
        Whether somebody set it: then nothing else will do.
    libraries : str
        Comes first in LD_LIBRARY_PATH.
    custom_exit : str
        File whose first line is the exit code, if a program writes it.
    store : int
        Port of the launcher's `xlearning.container.mpi.rendezvous`; 0: there is none.
    publishes : bool
        Whether output of this container is output of the job.
    spawns : bool
        The program starts more ranks as it runs.
    command : list of str
        Of the user; may begin with options of mpirun.
    """

    index: int
    nodes: int
    processes: int
    address: str
    launcher: tuple[str, int]
    home: str
    home_given: bool
    libraries: str
    custom_exit: str
    store: int
    publishes: bool
    spawns: bool
    command: list[str]

    @classmethod
    def read(cls) -> Plan:
        """The plan beside the program."""
        return cls(**json.loads((FOLDER / "plan.json").read_text()))


def fail(words: str, code: int = 1) -> NoReturn:
    """Say why on standard error, and leave at once with ``code``."""
    say(words)
    sys.stdout.flush()
    os._exit(code)


def say(words: str) -> None:
    """One line on standard error."""
    print(f"xlearning: {words}", file=sys.stderr, flush=True)


def settle(plan: Plan, program: str, env: MutableMapping[str, str]) -> str:
    """Find a program of Open MPI, and set the search paths of ``env`` so that its libraries are found.

    Returns
    -------
    str
        PATH for the user's processes, without the folder of our own scripts.
    """
    home = Path(plan.home).absolute()
    if (home / "bin" / program).is_file():
        env["PATH"] = _joined(str(home / "bin"), env.get("PATH", ""))
        env["OPAL_PREFIX"] = str(home)
        env["LD_LIBRARY_PATH"] = _joined(str(home / "lib"), env.get("LD_LIBRARY_PATH", ""))
    elif plan.home_given:
        fail(
            f"xlearning.mpi.install.dir={plan.home} has no bin/{program} on this node: name the folder of "
            "Open MPI, or leave the property out to use the one along PATH",
            NOT_FOUND,
        )
    elif shutil.which(program, path=env.get("PATH")) is None:
        fail(
            f"no {program} of Open MPI on this node, neither in {plan.home} (xlearning.mpi.install.dir) nor "
            f"along PATH={env.get('PATH', '')}: install it (Debian: openmpi-bin), or bring it along with "
            "--cacheArchive HDFS_PATH#openmpi --conf xlearning.mpi.install.dir=openmpi",
            NOT_FOUND,
        )
    env["LD_LIBRARY_PATH"] = _joined(plan.libraries, env.get("LD_LIBRARY_PATH", ""))
    path = env.get("PATH", "")
    scripts.write(FOLDER)
    env["PATH"] = _joined(str(FOLDER), path)
    env["TMPDIR"] = str(Path("tmp").absolute())  # what Open MPI leaves behind goes with the container
    env.pop(CREDENTIALS, None)
    return path


def tls(*, server: bool) -> ssl.SSLContext:
    """Both sides show, and want to see, the certificate of the application."""
    folder = Path(os.environ[CREDENTIALS])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    context.load_verify_locations(folder / "tls.crt")
    return context


def send(writer: asyncio.StreamWriter, **message: Any) -> None:
    """Send one message, if the connection still stands."""
    if not writer.is_closing():
        writer.write(json.dumps(message).encode() + b"\n")


async def receive(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next message; None when the other side has gone."""
    try:
        line = await reader.readline()
    except (OSError, ValueError):
        return None
    if not line.endswith(b"\n"):
        return None
    message = json.loads(line)
    return message if isinstance(message, dict) else None


def shell_code(code: int) -> int:
    """An exit code as a shell counts: 128 + n for signal n."""
    return 128 - code if code < 0 else code


def _joined(*parts: str) -> str:
    return ":".join(part for part in parts if part)
