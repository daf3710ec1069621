"""Reading what an order refers to: the launch specification, the job's properties, storage."""

from __future__ import annotations

from dataclasses import dataclass

from xlearning import jsonfile
from xlearning.config import Config
from xlearning.container import ports
from xlearning.container.identity import Identity
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.base import FileSystem, join, split_uri
from xlearning.job import JobSpec, LaunchSpec
from xlearning.proto import xlearning_pb2 as pb

_LIMIT = 256 * 2**20  # bytes; a launch names each file of an input

# What carrying out an order may meet: the world's faults, not ours.
EXPECTED = (XLearningError, OSError, ValueError, KeyError)


@dataclass(frozen=True)
class LaunchOrder:
    """A launch with everything that belongs to it."""

    spec: LaunchSpec
    config: Config
    fss: FileSystems


class Orders:
    """The agent's view of the application: its configuration and its storage.

    Attributes
    ----------
    config : Config
        Defaults until a launch brings the job's own properties.
    fss : FileSystems
        Paths without a scheme belong to the file system of the staging folder.
    """

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        scheme, authority, _ = split_uri(identity.staging)
        self._default_uri = f"{scheme or 'file'}://{authority}"
        self.config = Config.from_properties({})
        self.fss = self._file_systems()

    def staging_fs(self) -> FileSystem:
        """The file system that holds the staging folder. The first call may block."""
        return self.fss.of(self._identity.staging)

    def read_launch(self, order: pb.Launch) -> LaunchOrder:
        """The launch as ordered, from the message or from staging. Blocks.

        Raises
        ------
        KeyError, ValueError, OSError, xlearning.errors.XLearningError
            It cannot be read or understood.
        """
        text = order.spec_json or self._read_staged(order.file)
        spec = jsonfile.record(LaunchSpec, text)
        self.config = Config.from_properties(spec.properties)
        self.fss = self._file_systems()
        if spec.modules:
            from xlearning.formats import own  # not loaded by jobs without one

            own.offer(spec.modules)
        return LaunchOrder(spec, self.config, self.fss)

    def reserve(self, count: int) -> list[ports.HeldPort]:
        """Hold ``count`` ports in the job's range, on the address that others use. Blocks."""
        if count == 0:
            return []
        job = jsonfile.record(JobSpec, self._read_staged("job.json"))
        config = Config.from_properties(job.properties)
        begin, end = config.get(ports.PROPERTY_BEGIN), config.get(ports.PROPERTY_END)
        return ports.reserve(self._identity.host, count, begin, end)

    def _read_staged(self, name: str) -> str:
        path = name if "://" in name else join(self._identity.staging, name)
        return jsonfile.content(self.staging_fs(), path, _LIMIT).decode("utf-8")

    def _file_systems(self) -> FileSystems:
        return FileSystems(
            self._default_uri, timeout=self.config.get("xlearning.fs.timeout"), config=self.config
        )
