"""Distributions (what pip installs) that the nodes need: which, and which files of them."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

Distribution = importlib.metadata.Distribution
Find = Callable[[str], Distribution]

# Named as needed, but nothing that runs on the nodes loads them: hdfs-native's command line, its
# fsspec adapter, and what skein makes certificates with, which happens on the gateway.
LEFT_OUT = frozenset(("argcomplete", "fsspec", "cryptography"))
# Beside tests and caches: what serves compilers, pyarrow's Flight and its own S3 (S3 is reached through
# s3fs), and descriptions of Amazon's services other than S3 and those that give keys for it.
_SKIPPED = re.compile(
    r"""(^|/)(__pycache__|tests?|testing)/ | \.pyc$ | ^skein/java/ | ^\.\./ | ^/
    | ^pyarrow/(include|src)/ | ^pyarrow/.*\.(pyx|pxi|pxd)$
    | ^pyarrow/(libarrow(_python)?_flight|_flight|libarrow_s3|_s3fs)\b
    | ^botocore/data/(?!(s3|sso|sso-oidc|sts|signin)/)[^/]+/""",
    re.VERBOSE,
)
_SKIPPED_RECORDS = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
_LIBRARY = re.compile(r"^[^/]+\.data/(?:purelib|platlib)/")
_OTHER_DATA = re.compile(r"^[^/]+\.data/")


@dataclass(frozen=True)
class File:
    """A file for the nodes: where it lies here and the hash of its content."""

    path: Path
    digest: str


@dataclass(frozen=True)
class Closure:
    """Distributions by name with all that they need, and the requirements that are not there."""

    found: Mapping[str, Distribution]
    missing: Mapping[str, str]


def plain(name: str) -> str:
    """A name in the spelling that all spellings share."""
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(
    names: Iterable[str], find: Find, markers: Mapping[str, str], left_out: frozenset[str] = LEFT_OUT
) -> Closure:
    """The distributions ``names`` and what they need.

    Parameters
    ----------
    find : callable
        The distribution of a name; raises `importlib.metadata.PackageNotFoundError`.
    markers : mapping
        The environment that markers of requirements are judged by, where it differs from this one.
    """
    from packaging.requirements import Requirement

    waiting = [(name, name) for name in names]
    found: dict[str, Distribution] = {}
    missing: dict[str, str] = {}
    while waiting:
        asked, requirement = waiting.pop()
        name = plain(asked)
        if name in found or name in missing or name in left_out:
            continue
        try:
            found[name] = find(name)
        except importlib.metadata.PackageNotFoundError:
            missing[name] = requirement
            continue
        for text in found[name].requires or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate(dict(markers)):
                waiting.append((needed.name, f"{needed.name}{needed.specifier}"))
    return Closure(found, missing)


def installed(name: str) -> Distribution:
    """A distribution of the environment that runs this."""
    return importlib.metadata.distribution(name)


def below(folder: Path) -> Find:
    """Finds the distributions of unpacked wheels in ``folder``."""
    known = {plain(found.metadata["Name"]): found for found in Distribution.discover(path=[str(folder)])}

    def find(name: str) -> Distribution:
        try:
            return known[name]
        except KeyError:
            raise importlib.metadata.PackageNotFoundError(name) from None

    return find


def tags(distribution: Distribution) -> list[str]:
    """Tags of the wheel that a distribution came from, such as ``cp311-cp311-manylinux_2_17_x86_64``."""
    lines = (distribution.read_text("WHEEL") or "").splitlines()
    return [line.partition(":")[2].strip() for line in lines if line.startswith("Tag:")]


def files(distribution: Distribution) -> Iterator[tuple[str, File]]:
    """Files of a distribution by their name below site-packages; its RECORD knows their hashes."""
    for entry in distribution.files or ():
        name = _LIBRARY.sub("", entry.as_posix())
        if _SKIPPED.search(name) or _OTHER_DATA.match(name) or entry.name in _SKIPPED_RECORDS:
            continue
        path = Path(str(entry.locate()))
        if path.is_file():
            yield name, File(path, entry.hash.value if entry.hash else str(path.stat().st_size))


def own_files(package: str) -> Iterator[tuple[str, File]]:
    """Files of one of our packages, wherever it is installed."""
    import hashlib
    import importlib.util

    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(folder).rglob("*")):
            name = f"{package.replace('.', '/')}/{path.relative_to(folder).as_posix()}"
            if path.is_file() and not _SKIPPED.search(name):
                yield name, File(path, hashlib.sha256(path.read_bytes()).hexdigest())
