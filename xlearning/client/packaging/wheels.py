"""Wheels for nodes that differ from the gateway: pip finds and fetches them, a local folder keeps them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from xlearning.client.packaging.nodes import Nodes
from xlearning.client.uploading import here
from xlearning.errors import UsageError

_PATIENCE = 600.0  # seconds for all downloads
_TIMEOUT = 15  # seconds that pip waits for one answer
_ROUNDS = 5  # what the wheels of one round need is fetched in the next
_UNREACHABLE = "no package index can be reached from here"
_SAID = 300  # characters of pip's last word


def cache_root(environ: Mapping[str, str]) -> Path:
    """Folder of all wheels that were fetched."""
    return here.cache_root(environ) / here.WHEELS


def fetch(
    requirements: Sequence[str],
    ranges: Sequence[str],
    lacking: Callable[[Path], Sequence[str]],
    nodes: Nodes,
    root: Path,
) -> Path:
    """Folder with the unpacked wheels of ``requirements`` and all that they need.

    Parameters
    ----------
    requirements : sequence of str
        As pip reads them, such as ``grpcio==1.62.3``.
    ranges : sequence of str
        What will do where there is no wheel of that very version.
    lacking : callable
        The requirements that a folder of unpacked wheels still lacks.
    root : Path
        Where folders of earlier calls are kept; one that is there is used without a network.

    Raises
    ------
    xlearning.errors.UsageError
        There are no such wheels, or they cannot be fetched.
    """
    folder = root / _key(requirements, nodes)
    if folder.is_dir():
        os.utime(folder)  # tells the sweep that it is in use
        return folder
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=here.DRAFT, dir=root) as work:
        tree = Path(work, "tree")
        tree.mkdir()
        wanted = requirements
        for number in range(_ROUNDS):
            _unpack(_wheels(wanted, ranges if number == 0 else (), nodes, Path(work, str(number))), tree)
            wanted = lacking(tree)
            if not wanted:
                break
        else:
            raise UsageError(f"pip fetched what was asked for, and still lacking is {', '.join(wanted)}")
        try:
            tree.rename(folder)
        except OSError:  # another xl-submit was faster
            if not folder.is_dir():
                raise
    return folder


def _wheels(wanted: Sequence[str], ranges: Sequence[str], nodes: Nodes, folder: Path) -> list[Path]:
    problem = _download(wanted, nodes, folder)
    if problem and problem != _UNREACHABLE and ranges:
        problem = _download(ranges, nodes, folder)
    if problem:
        raise UsageError(
            f"pip cannot get the wheels for the nodes ({nodes}): {problem}", hint=_way_out(nodes)
        )
    return sorted(folder.glob("*.whl"))


def _unpack(wheels: Sequence[Path], tree: Path) -> None:
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(tree)


def command(requirements: Sequence[str], nodes: Nodes, folder: Path) -> list[str]:
    """The call of pip."""
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    words += [
        "--no-input",
        "--timeout",
        str(_TIMEOUT),
        "--retries",
        "1",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]
    words += ["--dest", str(folder), "--implementation", "cp"]
    words += ["--python-version", f"{nodes.python[0]}.{nodes.python[1]}"]
    for abi in (nodes.abi, "abi3", "none"):
        words += ["--abi", abi]
    for platform in nodes.platforms:
        words += ["--platform", platform]
    return words + list(requirements)


def _download(requirements: Sequence[str], nodes: Nodes, folder: Path) -> str:
    """Why it failed, in pip's words; empty when it did not."""
    words = command(requirements, nodes, folder)
    environ = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    # A pip that is killed removes none of its own temporary folders.
    work = folder.with_name("tmp")
    work.mkdir(exist_ok=True)
    environ["TMPDIR"] = str(work)
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
            env=environ,
        )
    except subprocess.TimeoutExpired:
        return f"no end after {_PATIENCE:g} s"
    if done.returncode == 0:
        return ""
    if "Retrying (" in done.stderr:
        return _UNREACHABLE
    return _last_word(done.stderr) or f"it ended with exit code {done.returncode}"


def _last_word(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or [""])[-1][:_SAID]


def _way_out(nodes: Nodes) -> str:
    options = f"--python {nodes.python[0]}.{nodes.python[1]}"
    if nodes.glibc:
        options += f" --glibc {nodes.glibc[0]}.{nodes.glibc[1]}"
    return (
        f"where pip reaches an index, run: xl-submit package --output xlearning.tar.gz {options}; "
        "put the file on HDFS and name it in xlearning.yarn.archive"
    )


def _key(requirements: Sequence[str], nodes: Nodes) -> str:
    lines = "\n".join([str(nodes), *sorted(requirements)])
    return f"{nodes.abi}-{hashlib.sha256(lines.encode()).hexdigest()[:24]}"
