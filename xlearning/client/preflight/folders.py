"""Whether a job may write where it will have to, asked without writing anything."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable

from xlearning.client.problems import Problem, unanswered
from xlearning.errors import StorageError, UsageError
from xlearning.fs import FileSystems, parent, split_uri
from xlearning.fs.base import FileSystem, join

HISTORY = "xlearning.history.log.dir"
STAGING = "xlearning.staging.dir"
# Where an output may lie all the same: the working folder of a container, and what doctor's job tells.
_ALLOWED = re.compile(r"/apps/application_\d+_\d+/containers/container_\w+/(?:work)/.|/doctor-[0-9a-f]{32}$")


def check_outputs(remotes: Iterable[str], fss: FileSystems, user: str, problems: list[Problem]) -> None:
    """Whether the folders of the outputs can be made."""
    for remote in dict.fromkeys(remotes):
        reason = _refusal(remote, fss, user, problems)
        if reason:
            fix = "choose another folder, or ask its owner for the right to write"
            problems.append(Problem(f"output {remote} cannot be made: {reason}", fix))


def check_not_ours(remotes: Iterable[str], folders: Iterable[str], problems: list[Problem]) -> None:
    """Whether an output lies where jobs keep their own files, which are deleted when they have ended.

    The working folder of a container is its program's, which may submit jobs too.
    """
    ours = [folder.rstrip("/") for folder in folders]
    for remote in dict.fromkeys(remotes):
        if _ALLOWED.search(remote):
            continue
        for folder in (folder for folder in ours if f"{remote}/".startswith(f"{folder}/")):
            words = f"output {remote} lies in {folder}, where jobs keep files of their own until they end"
            problems.append(Problem(words, "choose another folder"))
            break


def check_folder(name: str, folder: str, fss: FileSystems, user: str, problems: list[Problem]) -> None:
    """Whether what a job needs while it runs can be written below the value of a property."""
    reason = _refusal(folder, fss, user, problems)
    if reason:
        fix = f"set {name} to a folder of yours, or ask the administrator to make it with mode 1777"
        problems.append(Problem(f"{name}={folder} cannot be used: {reason}", fix))


def check_home(home: str, fss: FileSystems, user: str, problems: list[Problem]) -> None:
    """Whether there is a home folder for what skein keeps while an application runs, or it can be made."""
    reason = _refusal(home, fss, user, problems)
    if reason:
        path = split_uri(home)[2]
        problems.append(
            Problem(
                f"the home folder {home} cannot be used, and YARN needs it for a job's files: {reason}",
                f"ask the administrator for it: hdfs dfs -mkdir -p {path} && hdfs dfs -chown {user} {path}",
            )
        )


def check_history(folder: str, fss: FileSystems, user: str, notes: list[str]) -> None:
    """The job runs without a history, so that is worth a line and no refusal."""
    silent: list[Problem] = []  # whoever needs the file system for the job itself tells it
    reason = _refusal(folder, fss, user, silent)
    if reason:
        notes.append(
            f"{HISTORY}={folder} cannot be used: {reason}. The job runs, but status, logs and its page will "
            "not know of it after its end"
        )


def _refusal(folder: str, fss: FileSystems, user: str, problems: list[Problem]) -> str:
    """Why ``folder`` can neither be written to nor be made; empty when it can, or when nobody says."""
    try:
        fs, above = fss.of(folder), folder
        if _is_outside(fs, folder):
            return "it lies outside of all mounts of its view"
        while True:
            try:
                found = fs.stat(above)
                break
            except FileNotFoundError:
                if above == parent(above):
                    return ""
                above = parent(above)
        if not found.is_dir:
            return f"{above} is a file"
        if _is_kernels(above):
            return f"{above} belongs to the kernel, which takes no files"
        return "" if _writable(fs, above) else f"{user} may not write into {above}"
    except PermissionError:
        return f"{user} may not look into the folders above it"
    except StorageError as error:
        unanswered(folder, error, fss, problems)
        return ""
    except UsageError as error:
        problems.append(Problem(error.message, error.hint or ""))
        return ""


def _is_outside(fs: FileSystem, folder: str) -> bool:
    """Whether a mount table leads nowhere from ``folder``."""
    if split_uri(folder)[0] != "viewfs":
        return False
    from xlearning.fs.viewfs import ViewFileSystem

    return isinstance(fs, ViewFileSystem) and fs.behind(folder) is None


def _is_kernels(folder: str) -> bool:
    """Whether ``folder`` is shown by this machine's kernel; root is told that it may write there."""
    scheme, _, path = split_uri(folder)
    return scheme == "file" and f"{os.path.realpath(path)}/".startswith(("/proc/", "/sys/"))


def _writable(fs: FileSystem, folder: str) -> bool:
    scheme, _, path = split_uri(folder)
    if scheme == "file":
        return os.access(path, os.W_OK | os.X_OK)
    try:
        # A NameNode looks at the rights to a folder before it looks for what is to be deleted there.
        fs.delete(join(folder, f".xlearning-{uuid.uuid4().hex}"))
    except PermissionError:
        return False
    return True
