"""Java classes as output formats: files are written by Hadoop's own code, and stored like all others."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from xlearning.config import Config
from xlearning.formats.java.process import Helper
from xlearning.formats.java.starting import start
from xlearning.formats.output.base import Parts

_LF = b"\n"
_NOTES = (".", "_")  # how the names of files begin that Hadoop writes for itself


class JavaOutput:
    """See `xlearning.formats.output.base.OutputFormat`."""

    def __init__(self, name: str, config: Config) -> None:
        self.name = name
        self._config = config

    def writer(self, parts: Parts) -> JavaWriter:
        properties = {}
        codec = self._config.get("xlearning.outputformat.codec").strip()
        if codec.lower() not in ("", "none"):
            properties = {
                "mapreduce.output.fileoutputformat.compress": "true",
                "mapreduce.output.fileoutputformat.compress.codec": codec,
                "mapreduce.output.fileoutputformat.compress.type": self._config.get(
                    "xlearning.outputformat.compress.type"
                ),
            }
        order = {"do": "output", "class": self.name, "properties": properties}
        helper = start(f"output format {self.name}", self._config, order, place=Path.cwd())
        return JavaWriter(parts, helper)


class JavaWriter:
    """Writes through a helper process; see `xlearning.formats.output.base.RecordWriter`.

    Each part is a job of its own for the Java class, with one task, into a folder on this machine; its
    files are handed over when it is committed.
    """

    def __init__(self, parts: Parts, helper: Helper) -> None:
        self._parts, self._helper = parts, helper
        self._number = 0
        self._size = 0  # bytes of the lines of this part
        self._open = self._begun = False

    def write(self, records: Sequence[bytes]) -> None:
        try:
            at = 0
            while at < len(records):
                end = at
                while end < len(records) and (end == at or self._size < self._parts.limit):
                    self._size += len(records[end]) + 1
                    end += 1
                self._send(records[at:end])
                if self._size >= self._parts.limit:
                    self._finish()
                at = end
        except BaseException:
            self._helper.close()
            raise

    def close(self) -> None:
        try:
            if not self._begun:
                self._begin()
            if self._open:
                self._finish()
        finally:
            self._helper.close()

    def _send(self, records: Sequence[bytes]) -> None:
        if not self._open:
            self._begin()
        self._helper.give(_LF.join(records))

    @property
    def _folder(self) -> Path:
        return self._helper.folder / f"out{self._number}"

    def _begin(self) -> None:
        self._helper.ask(do="open", folder=self._folder.as_uri())
        self._open = self._begun = True

    def _finish(self) -> None:
        self._helper.ask(do="commit")
        for file in _files(self._folder):
            _, dot, ending = file.name.partition(".")
            with file.open("rb") as source, self._parts.create(dot + ending) as target:
                shutil.copyfileobj(source, target, 1 << 20)
        shutil.rmtree(self._folder, ignore_errors=True)  # a class that writes elsewhere has made none
        self._number += 1
        self._size, self._open = 0, False


def _files(folder: Path) -> list[Path]:
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(_NOTES))
        found += [Path(place, name) for name in sorted(names) if not name.startswith(_NOTES)]
    return found
