"""``--input``: what is asked for, and what is there.

Every file counts, hidden ones too, as in XLearning, but for ``_SUCCESS`` and other marks of commits; with
the input strategy STREAM hidden ones do not, as in Hadoop. The local name of an input given twice joins both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning.client.planning.names import local_name, split_alias, split_list
from xlearning.client.planning.special import no_files
from xlearning.client.problems import Problem, resolve, unanswered
from xlearning.errors import StorageError, UsageError
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus, split_uri
from xlearning.fs.listing import files_of
from xlearning.job import InputSpec, InputStrategy
from xlearning.units import format_bytes

DEFAULT_NAME = "input"


@dataclass(frozen=True)
class Listing:
    """One input and the files that it stands for, in the order in which they are handed out."""

    spec: InputSpec
    files: tuple[FileStatus, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(status.size for status in self.files)

    def title(self, strategy: InputStrategy) -> str:
        """What to call it; a name that nobody may have given is told as the folder that it is."""
        in_folder = strategy is InputStrategy.DOWNLOAD and self.spec.local == DEFAULT_NAME
        return f"Input in ./{DEFAULT_NAME}" if in_folder else f"Input {self.spec.local}"

    @property
    def amount(self) -> str:
        """How much there is, for people."""
        count = len(self.files)
        return f"{count} file{'' if count == 1 else 's'}, {format_bytes(self.size)}"


def parse(texts: Sequence[str], fss: FileSystems, problems: list[Problem]) -> list[InputSpec]:
    """Inputs of the command line, in their order, with full addresses."""
    joined: dict[str, list[str]] = {}
    for text in texts:
        path, alias = split_alias(text)
        parts = split_list(path)
        if not parts:
            problems.append(Problem(f"--input {text} names no path", "write --input PATH#NAME"))
            continue
        try:
            name = local_name(DEFAULT_NAME if alias is None else alias)
        except ValueError as error:
            fix = "give a plain relative name after #, such as #data"
            problems.append(Problem(f"--input {text}: the local name {alias!r} cannot be used: {error}", fix))
            continue
        found = [resolve(part, fss, "--input", problems) for part in parts]
        joined.setdefault(name, []).extend(uri for uri in found if uri is not None)
    return [InputSpec(name, tuple(patterns)) for name, patterns in joined.items()]


def list_inputs(
    specs: Sequence[InputSpec],
    fss: FileSystems,
    *,
    allow_empty: bool,
    hidden: bool = True,
    problems: list[Problem],
) -> list[Listing]:
    """All files of all inputs; what matches nothing, or holds nothing, is a problem.

    Parameters
    ----------
    hidden : bool
        See `xlearning.fs.listing.files_of`.
    """
    listings = []
    for spec in specs:
        files: dict[str, FileStatus] = {}  # what two patterns match counts once
        for pattern in spec.patterns:
            found = _files(pattern, fss, allow_empty=allow_empty, hidden=hidden, problems=problems)
            files.update((status.path, status) for status in found)
        problems += no_files("--input", files.values())
        listings.append(Listing(spec, tuple(files.values())))
    return listings


def check_names(listings: Sequence[Listing], problems: list[Problem]) -> None:
    """Equal base names in one folder: the later download would overwrite the earlier one."""
    for listing in listings:
        seen: dict[str, str] = {}
        clashes = []
        for status in listing.files:
            first = seen.setdefault(status.name, status.path)
            if first != status.path:
                clashes.append((first, status.path))
        if clashes:
            problems.append(_clash(listing.spec.local, clashes))


def _clash(local: str, clashes: Sequence[tuple[str, str]]) -> Problem:
    first, second = clashes[0]
    more = f" (and {len(clashes) - 1} more)" if len(clashes) > 1 else ""
    return Problem(
        f"{first} and {second} would both become {local}/{first.rpartition('/')[2]}{more}",
        "add --isRenameInputFile, give the inputs different names after #, "
        "or use --input-strategy PLACEHOLDER",
    )


def _files(
    pattern: str, fss: FileSystems, *, allow_empty: bool, hidden: bool, problems: list[Problem]
) -> list[FileStatus]:
    try:
        files = files_of(fss.of(pattern), pattern, hidden=hidden)
    except StorageError as error:
        unanswered(pattern, error, fss, problems)
        return []
    except UsageError as error:
        problems.append(Problem(error.message, error.hint or ""))
        return []
    except OSError as error:
        problems.append(
            Problem(f"input {pattern} cannot be read: {error}", "ask its owner for read permission")
        )
        return []
    except ValueError as error:
        problems.append(
            Problem(f"input {pattern} is not a pattern: {error}", "correct its brackets or braces")
        )
        return []
    if files is None:
        problems.append(Problem(f"input {pattern} matches nothing", _way_to(pattern)))
    elif not files and not allow_empty:
        problems.append(
            Problem(
                f"input {pattern} holds no file", "put files there, or accept it with --allow-empty-input"
            )
        )
    return files or []


def _way_to(pattern: str) -> str:
    """What to do about an input that is not there; it may lie on this machine's disk."""
    scheme, name = split_uri(pattern)[0], pattern.rstrip("/").rpartition("/")[2]
    if scheme in ("hdfs", "viewfs") and Path(name).exists():
        return f"{name} is in this folder: copy it with hdfs dfs -put, or correct the path"
    return "correct the path"
