"""Where a test's inputs and outputs live: a local folder or a folder on the real HDFS."""

from __future__ import annotations

from dataclasses import dataclass

from xlearning.fs import FileSystems
from xlearning.fs.base import exists, join


@dataclass(frozen=True)
class Place:
    """A folder with short words for files in it; paths are relative to it."""

    uri: str
    storage: FileSystems

    def at(self, name: str) -> str:
        return join(self.uri, name)

    def write(self, name: str, data: bytes) -> str:
        uri = self.at(name)
        with self.storage.of(uri).open_write(uri) as stream:
            stream.write(data)
        return uri

    def read(self, name: str) -> bytes:
        uri = self.at(name)
        with self.storage.of(uri).open_read(uri) as stream:
            return stream.read()

    def exists(self, name: str) -> bool:
        return exists(self.storage.of(self.uri), self.at(name))

    def tree(self, name: str = "") -> dict[str, int]:
        """Relative path -> size of every file below ``name``; nothing where it does not exist."""
        root = self.at(name) if name else self.uri
        if not exists(self.storage.of(root), root):
            return {}
        return {
            status.path.removeprefix(root).lstrip("/"): status.size
            for status in self.storage.of(root).walk(root)
        }

    def children(self, name: str = "") -> list[str]:
        root = self.at(name) if name else self.uri
        return [status.name for status in self.storage.of(root).list(root)]
