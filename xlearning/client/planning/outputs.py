"""``--output``: where it goes, and whether it may go there.

An output that exists is refused. One that holds nothing but ``_temporary`` of the same user's dead
applications is swept and used, so that a failed job can simply be run again.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence

from xlearning.client.planning import saved_models
from xlearning.client.planning.names import local_name, split_alias, split_list
from xlearning.client.problems import Problem, resolve, unanswered
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import ApplicationNotFound, ClusterUnavailable, StorageError, UsageError
from xlearning.fs import FileSystems, parent, split_uri
from xlearning.fs.base import ObjectStore, exists
from xlearning.fs.replacing import ERROR, OVERWRITE
from xlearning.job import InputSpec, OutputSpec

TEMPORARY, SUCCESS = "_temporary", "_SUCCESS"
_ATTEMPT_FOLDER = re.compile(r"(application_\d+_\d+)_\d+")
_OTHER_FOLDER_ONLY = "choose another folder, or wait for its end"
_BEING_WRITTEN = "is being written by"
_EXISTS = "exists already"
_READ = "exists already, and the job reads it"
_SAVED = "exists already: it holds models that were saved while a job ran, which did not succeed"
_MOUNTS = "holds mounts of its view, so that it is not on one file system"
_KEEP_SAVED = (
    "choose another folder, move what was saved to another place, or keep it beside the new output: "
    "--output-existing merge"
)

Report = Callable[[str], ApplicationReport]


def parse(
    texts: Sequence[str], fss: FileSystems, *, default_name: str, problems: list[Problem]
) -> list[OutputSpec]:
    """Outputs of the command line, in their order, with full addresses."""
    specs = []
    for text in texts:
        path, alias = split_alias(text)
        if "#" in path:
            problems.append(Problem(f"--output {text} holds more than one #", _one_each(text)))
            continue
        parts = split_list(path)
        if not parts:
            problems.append(Problem(f"--output {text} names no path", "write --output PATH#NAME"))
            continue
        name = default_name if alias is None else alias
        found = [resolve(part.replace("\\,", ","), fss, "--output", problems) for part in parts]
        try:
            local = local_name(name)
        except ValueError as error:
            fix = "give a plain relative name after #, such as #model"
            problems.append(Problem(f"--output {text}: the local name {name!r} cannot be used: {error}", fix))
            continue
        for remote in (uri for uri in found if uri is not None):
            fault = _fault(remote, local)
            if fault is not None:
                problems.append(fault)
            else:
                specs.append(OutputSpec(remote.rstrip("/"), local))
    return specs


def _one_each(text: str) -> str:
    parts = split_list(text)
    if len(parts) > 1 and all(part.count("#") == 1 for part in parts):
        return f"write one --output each: {' '.join(f'--output {part}' for part in parts)}"
    return "write --output PATH#NAME: neither of them can hold a #"


def _fault(remote: str, local: str) -> Problem | None:
    """Why nothing can be published from ``local`` to ``remote``, from the names alone."""
    if not split_uri(remote)[2].strip("/"):
        return Problem(f"output {remote} is the root of its file system", "choose a folder in it")
    if split_uri(remote)[0] == "memory":
        words = f"output {remote} would be kept in the memory of a process, and end with it"
        return Problem(words, "choose a folder that outlives the job")
    if local.split("/")[0] in (TEMPORARY, SUCCESS):
        fix = "give it another name after #, such as #model"
        return Problem(f"output {remote}: the local name {local} is kept for the commit itself", fix)
    for name in (remote, local):
        if name != name.encode("utf-8", "ignore").decode():
            return Problem(f"output {name} holds bytes that are not UTF-8", "choose another name")
        if ":" in split_uri(name)[2] and split_uri(remote)[0] not in ("", "file"):
            return Problem(f"output {name} holds a colon, which HDFS does not take", "choose another name")
    return None


def check_overlap(specs: Sequence[OutputSpec], problems: list[Problem]) -> None:
    """Two equal outputs, and an output inside another one."""
    for position, one in enumerate(specs):
        for other in specs[position + 1 :]:
            if one == other:
                problems.append(Problem(f"--output {one.remote}#{one.local} is given twice", "keep one"))
            for inner, outer in ((one, other), (other, one)):
                if inner.remote.startswith(outer.remote + "/"):
                    problems.append(
                        Problem(
                            f"output {inner.remote} lies inside output {outer.remote}",
                            "publish to two folders side by side",
                        )
                    )


def tell_read_again(specs: Sequence[OutputSpec], inputs: Sequence[InputSpec], notes: list[str]) -> None:
    """An output inside an input: right for this job, but later ones would read what it publishes."""
    for spec in specs:
        for pattern in (pattern for one in inputs for pattern in one.patterns):
            if spec.remote.startswith(pattern.removesuffix("/*").rstrip("/") + "/"):
                where = f"output {spec.remote} lies inside input {pattern}"
                notes.append(f"{where}: a later job with this input reads it too")


def check_saves(prefix: str, problems: list[Problem]) -> None:
    """Whether ``xlearning.interresult.dir`` leads to a place inside of the output."""
    fix = "write a plain relative name, such as interResult_"
    try:
        first = local_name(f"{prefix.strip('/')}x").split("/")[0]
    except ValueError as error:
        problems.append(Problem(f"xlearning.interresult.dir={prefix} cannot be used: {error}", fix))
        return
    if first.startswith((TEMPORARY, SUCCESS)):
        words = f"xlearning.interresult.dir={prefix}: {TEMPORARY} and {SUCCESS} are the commit's own"
        problems.append(Problem(words, fix))


def check_free(
    specs: Sequence[OutputSpec],
    fss: FileSystems,
    *,
    user: str,
    report: Report,
    saves: str,
    existing: str = ERROR,
    inputs: Sequence[InputSpec] = (),
    problems: list[Problem],
    notes: list[str],
) -> list[str]:
    """Remotes that hold only remains of dead applications; everything else that exists is a problem.

    Parameters
    ----------
    saves : str
        ``xlearning.interresult.dir``.
    existing : str
        ``xlearning.output.existing``: but for ``ERROR``, a folder may hold whatever nobody writes to.
    """
    sweep = []
    for remote in dict.fromkeys(spec.remote for spec in specs):
        try:
            reason = _split(remote, fss) or _occupied(
                remote, fss, user, report, saves, strict=existing == ERROR
            )
            if existing == OVERWRITE and not reason:
                saved_models.tell_deleted(remote, saves, fss, notes)
        except FileNotFoundError:
            problems += _unmakeable(remote, fss)
            continue
        except StorageError as error:
            unanswered(remote, error, fss, problems)
            continue
        except (ClusterUnavailable, UsageError) as error:
            problems.append(Problem(error.message, error.hint or ""))
            continue
        except OSError as error:
            problems.append(Problem(f"output {remote} cannot be looked at: {error}", "choose another folder"))
            continue
        if reason == _EXISTS and _is_read(remote, inputs):
            problems.append(Problem(f"output {remote} {_READ}", "choose another folder"))
        elif reason:
            fix = _OTHER_FOLDER_ONLY if _BEING_WRITTEN in reason else _delete(remote)
            if reason == _MOUNTS:
                fix = "choose a folder below one of them, or beside them"
            if reason == _EXISTS:
                fix += ", or say what becomes of it: --output-existing overwrite (or merge)"
            if reason == _SAVED:
                fix = _KEEP_SAVED
            problems.append(Problem(f"output {remote} {reason}", fix))
        else:
            sweep.append(remote)
    return sweep


def _is_read(remote: str, inputs: Sequence[InputSpec]) -> bool:
    """Whether an input is ``remote`` or something in it, so that nobody should be told to delete it."""
    return any(f"{pattern}/".startswith(f"{remote}/") for one in inputs for pattern in one.patterns)


def _delete(remote: str) -> str:
    scheme, _, path = split_uri(remote)
    if scheme not in ("file", "hdfs", "viewfs"):
        return "choose another folder, or delete what is there"
    command = f"rm -r {shlex.quote(path)}" if scheme == "file" else f"hdfs dfs -rm -r {shlex.quote(remote)}"
    return f"choose another folder, or delete it: {command}"


def sweep_remains(remotes: Sequence[str], fss: FileSystems, *, user: str, report: Report) -> None:
    """Delete what `check_free` found, as far as it still belongs to ended applications only."""
    for remote in remotes:
        fs, root = fss.of(remote), f"{remote}/{TEMPORARY}"
        children = fs.list(root) if exists(fs, root) else []
        for child in children:
            match = _ATTEMPT_FOLDER.fullmatch(child.name)
            if match and not _alive(match.group(1), user, report):
                fs.delete(child.path, recursive=True)


def _split(remote: str, fss: FileSystems) -> str:
    """Why nothing can be moved into all of ``remote``; empty when it can."""
    if split_uri(remote)[0] != "viewfs":
        return ""
    from xlearning.fs.viewfs import ViewFileSystem

    view = fss.of(remote)
    return _MOUNTS if isinstance(view, ViewFileSystem) and view.holds_mounts(remote) else ""


def _unmakeable(remote: str, fss: FileSystems) -> Iterator[Problem]:
    """Why ``remote``, which is not there, cannot be made."""
    file = _file_above(remote, fss)
    if file:
        fix = "choose a folder below a folder"
        yield Problem(f"output {remote} cannot be made: {file} is a file", fix)
    if isinstance(fss.of(remote), ObjectStore) and not _has_bucket(remote, fss):
        bucket = split_uri(remote)[1]
        yield Problem(f"output {remote}: there is no bucket {bucket}", "make it first, or name another one")


def _has_bucket(remote: str, fss: FileSystems) -> bool:
    scheme, bucket, _ = split_uri(remote)
    try:
        return exists(fss.of(remote), f"{scheme}://{bucket}/")
    except PermissionError:  # a user may have rights to a folder alone
        return True


def _file_above(remote: str, fss: FileSystems) -> str:
    """The file in whose place a folder above ``remote`` would have to be; empty when there is none."""
    fs, above = fss.of(remote), parent(remote)
    while above and above != parent(above):
        try:
            return "" if fs.stat(above).is_dir else above
        except FileNotFoundError:
            above = parent(above)
    return ""


def _occupied(remote: str, fss: FileSystems, user: str, report: Report, saves: str, *, strict: bool) -> str:
    """Why ``remote``, which exists, cannot be used; empty when it can."""
    fs = fss.of(remote)
    if not fs.stat(remote).is_dir:
        return "exists and is a file"
    names = [child.name for child in fs.list(remote)]
    others = [name for name in names if name != TEMPORARY]
    first = saves.strip("/").split("/")[0]
    if strict and (not names or not all(first and name.startswith(first) for name in others)):
        return _EXISTS
    reason = _begun(f"{remote}/{TEMPORARY}", fss, user, report) if TEMPORARY in names else ""
    return reason or (_SAVED if others and strict else "")


def _begun(temporary: str, fss: FileSystems, user: str, report: Report) -> str:
    """Why what lies in a ``_temporary`` cannot be swept; empty when it can."""
    for child in fss.of(temporary).list(temporary):
        match = _ATTEMPT_FOLDER.fullmatch(child.name)
        if match is None:
            return f"exists already, with {TEMPORARY}/{child.name} of another program"
        reason = _alive(match.group(1), user, report)
        if reason:
            return reason
    return ""


def _alive(app_id: str, user: str, report: Report) -> str:
    try:
        found = report(app_id)
    except ApplicationNotFound:
        return f"holds {TEMPORARY} of {app_id}, which is not known here and may still run elsewhere"
    if not found.state.final:
        return f"{_BEING_WRITTEN} {app_id}, which is {found.state.value}"
    return "" if found.user == user else f"holds {TEMPORARY} of {app_id}, which belongs to {found.user}"
