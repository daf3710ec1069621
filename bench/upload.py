"""A 200 MB archive, submitted twice: what the second submission uploads, and how long both take."""

from __future__ import annotations

import os
import statistics
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from figures import Figure, figure
from minihadoop import MiniHadoop
from timeline import Client

from xlearning.fs import FileSystems
from xlearning.fs.base import exists

SUBMIT = Path(sys.executable).parent / "xl-submit"
_MB = 1_000_000
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Submission:
    """Seconds to the end of the submission and of its upload step, and the bytes that HDFS got."""

    seconds: float
    step: float
    stored: int


class UploadBench:
    """Submissions of one archive, each to its end; with a cache of its own on HDFS."""

    def __init__(self, hadoop: MiniHadoop, folder: Path) -> None:
        self._folder = folder
        self._root = f"/bench/upload-{uuid.uuid4().hex}"
        site = {
            "xlearning.staging.dir": self._root,
            "xlearning.history.log.dir": "/bench/history",
            "xlearning.am.memory": "512",
            "xlearning.worker.memory": "512",
        }
        conf = folder / "conf"
        conf.mkdir()
        rows = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in site.items())
        (conf / "xlearning-site.xml").write_text(f"<configuration>{rows}</configuration>")
        own = {"XLEARNING_CONF_DIR": str(conf), "XDG_CACHE_HOME": str(folder / "cache")}
        self._environ = hadoop.env({**os.environ, **own})
        self._storage = FileSystems(hadoop.hdfs_uri)

    def submit(self, archive: Path | None = None, done: str = "Package for the nodes") -> Submission:
        """One job; ``done`` is what the client says at the end of the upload."""
        before = self._stored()
        words = ["--board-enable", "false", *(["--archiveFiles", f"{archive}#z"] if archive else [])]
        client = Client([str(SUBMIT), *words, "--", "true"], self._environ, self._folder)
        client.end(0)
        step = client.find(done)[0] - client.find("Package for the nodes")[0]
        return Submission(client.find("Submitted")[0], step, self._stored() - before)

    def close(self) -> None:
        """Remove the cache."""
        self._storage.default.delete(self._storage.resolve(self._root), recursive=True)

    def _stored(self) -> int:
        root = self._storage.resolve(self._root)
        if not exists(self._storage.default, root):
            return 0
        return sum(file.size for file in self._storage.default.walk(root))


def measure(hadoop: MiniHadoop, folder: Path, runs: int, mb: int, say: Callable[[str], None]) -> list[Figure]:
    """Figures of ``runs`` archives of ``mb`` MB (10**6 bytes) each."""
    bench = UploadBench(hadoop, folder)
    try:
        bench.submit()
        first, second, without = [], [], []
        for run in range(runs):
            say(f"an archive of {mb} MB twice, and no archive, {run + 1} of {runs}")
            archive = _archive(folder / f"{run}.tar", mb)
            without.append(bench.submit())  # meanwhile the archive gets old enough to be remembered
            first.append(bench.submit(archive, "Uploaded 1 file"))
            second.append(bench.submit(archive, "was there already"))
    finally:
        bench.close()
    step = statistics.median(one.step for one in first)
    wall = statistics.median(one.seconds for one in first)
    again = "the same for the second time"
    return [
        figure("start -> submitted, no archive", "s", [one.seconds for one in without]),
        figure(f"start -> submitted, {mb} MB for the first time", "s", [one.seconds for one in first]),
        figure(again, "s", [one.seconds for one in second], base=wall),
        figure("hash and upload, for the first time", "s", [one.step for one in first]),
        figure(again, "s", [one.step for one in second], base=step),
        figure("uploaded the first time", "MB", [one.stored / _MB for one in first]),
        figure("uploaded the second time", "MB", [one.stored / _MB for one in second], goal=0),
    ]


def _archive(path: Path, mb: int) -> Path:
    import tarfile

    content = path.with_suffix(".bin")
    with open(content, "wb") as file:
        for _ in range(mb * _MB // _CHUNK):
            file.write(os.urandom(_CHUNK))
    with tarfile.open(path, "w") as tar:
        tar.add(content, "content")
    content.unlink()
    return path
