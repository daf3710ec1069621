"""Which optional libraries a job needs where it runs: the one rule for the gateway and for the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xlearning.config import Config
from xlearning.formats import libraries
from xlearning.formats.codecs.base import Codec
from xlearning.formats.codecs.registry import named, of_name
from xlearning.fs.base import split_uri
from xlearning.job import TENSORBOARD, InputStrategy, JobSpec, OutputStrategy

_PLAIN = ("", "file")
_HDFS = ("hdfs", "viewfs")
_S3 = ("s3", "s3a")
# what fsspec's own classes load; other schemes are classes of packages that the nodes' Python must have
_SSH, _WEB = ("paramiko",), ("aiohttp",)
_BEHIND_FSSPEC = {"sftp": _SSH, "ssh": _SSH, "http": _WEB, "https": _WEB}
_BOARD = "xlearning.tf.board.enable"  # where it is set TensorBoard is wanted, not only welcome


@dataclass(frozen=True)
class Needs:
    """Packages by name, as `xlearning.formats.libraries` knows them.

    Attributes
    ----------
    required : mapping
        Package -> what needs it, in words.
    preferred : frozenset of str
        Packages that are of use, but not missed.
    """

    required: Mapping[str, Sequence[str]]
    preferred: frozenset[str] = frozenset()

    def names(self) -> tuple[str, ...]:
        """What is brought to the nodes: all that is required, and what is there of the rest."""
        more = {package for package in self.preferred if libraries.available(package)}
        return tuple(sorted({*self.required, *more}))


def of_job(job: JobSpec, files: Iterable[str]) -> Needs:
    """What a job needs.

    Parameters
    ----------
    files : iterable of str
        Paths of all input files.
    """
    config = Config.from_properties(job.properties)
    found = _Found()
    _file_systems(job, config, found)
    if config.get("xlearning.worker.gpus") or config.get("xlearning.ps.gpus"):
        found.preferred.add("nvidia-ml-py")
    _board(job, found)
    if job.input_strategy is InputStrategy.STREAM:
        _input(config, files, found)
    if job.output_strategy is OutputStrategy.STREAM:
        _output(config, found)
    return Needs(found.required, frozenset(found.preferred))


def of_files(paths: Iterable[str]) -> dict[str, list[str]]:
    """Package -> the compressed files that cannot be read without it."""
    found = _Found()
    for path in paths:
        found.codec(of_name(path), path)
    return found.required


class _Found:
    def __init__(self) -> None:
        self.required: dict[str, list[str]] = {}
        self.preferred: set[str] = set()

    def need(self, packages: Iterable[str], user: str) -> None:
        for package in packages:
            users = self.required.setdefault(package, [])
            if user not in users[-1:]:
                users.append(user)

    def codec(self, codec: Codec | None, user: str) -> None:
        if codec is not None:
            self.need(codec.requires, user)
            self.preferred.update(codec.prefers)


def _board(job: JobSpec, found: _Found) -> None:
    """TensorBoard where somebody wants it, and what the user's own one reads remote files with."""
    if not job.board.enabled or job.board.program != TENSORBOARD:
        return
    if _BOARD in job.properties:
        found.preferred.add("tensorboard")
    scheme = split_uri(job.board.log_dir)[0]
    if scheme not in _PLAIN:
        found.preferred.add("s3fs" if scheme in _S3 else "fsspec")


def _file_systems(job: JobSpec, config: Config, found: _Found) -> None:
    places = [pattern for one in job.inputs for pattern in one.patterns] + [one.remote for one in job.outputs]
    schemes = dict.fromkeys(split_uri(place)[0] for place in places)
    reached = (*schemes, split_uri(job.default_fs)[0])  # staging lies on the default file system
    if config.get("xlearning.fs.hdfs.client") == "LIBHDFS" and any(scheme in _HDFS for scheme in reached):
        found.need(("pyarrow",), "xlearning.fs.hdfs.client=LIBHDFS")
    for scheme in schemes:
        if scheme in _S3:
            found.need(("s3fs",), f"{scheme}://")
        elif scheme not in (*_PLAIN, *_HDFS):
            found.need(("fsspec", *_BEHIND_FSSPEC.get(scheme, ())), f"{scheme}://")


def _input(config: Config, files: Iterable[str], found: _Found) -> None:
    from xlearning.formats.registry import libraries_of

    name = config.get("xlearning.inputformat.class")
    format_ = libraries_of(name, config)
    found.need(format_.requires, f"input format {name}")
    found.preferred.update(format_.prefers)
    if format_.unpacks:
        for path in files:
            found.codec(of_name(path), path)


def _output(config: Config, found: _Found) -> None:
    from xlearning.formats.output.registry import requires, through_java

    name, codec = (
        config.get("xlearning.outputformat.class"),
        named(config.get("xlearning.outputformat.codec")),
    )
    found.need(requires(name, config), f"output format {name}")
    if codec is not None and not through_java(name, config):
        found.codec(codec, f"output as {codec.name}")
