"""Many small files to HDFS and back, beside Hadoop's own tool."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

from figures import Figure, figure
from minihadoop import MiniHadoop

_SIZE = 1000  # bytes of a file
_SINGLE = 5  # files that are copied one by one, by a JVM each
_LIKE_A_FOLDER, _LIKE_SINGLE = 1 / 1.5, 5  # times Hadoop's tool
_PUT = 100  # files that Hadoop's tool uploads, for it takes its time
# One direction in a process of its own, so that its memory can be told.
_COPY = """
import re, sys, time
from pathlib import Path
from xlearning.fs import FileSystems
from xlearning.fs.transfer import download, upload
from xlearning.job import FetchItem
way, folder, remote = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
fss = FileSystems(remote)
begin = time.monotonic()
if way == "up":
    upload(fss, folder, remote)
else:
    items = [FetchItem(s.path, s.name, s.size) for s in fss.of(remote).walk(remote)]
    download(fss, items, folder)
seconds = time.monotonic() - begin
# not ru_maxrss, which begins with what the parent had
print(seconds, int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024)
"""


def measure(
    hadoop: MiniHadoop, folder: Path, runs: int, count: int, say: Callable[[str], None]
) -> list[Figure]:
    """Figures of ``count`` files of 1,000 bytes, ``runs`` times."""
    environ = hadoop.env(dict(os.environ))
    tool = shutil.which("hdfs", path=environ["PATH"])
    assert tool is not None
    source, few = folder / "source", folder / "few"
    for place, number in ((source, count), (few, min(count, _PUT))):
        place.mkdir()
        for n in range(number):
            (place / f"{n:06d}").write_bytes(os.urandom(_SIZE))
    root = f"{hadoop.hdfs_uri}/bench/files-{uuid.uuid4().hex}"
    rows: dict[str, list[float]] = {name: [] for name in ("up", "put", "puts", "down", "get", "gets", "rss")}
    try:
        for run in range(runs):
            say(f"{count} files up and down, {run + 1} of {runs}")
            there = f"{root}/{run}"
            up, up_rss = _ours("up", source, there, environ)
            down, down_rss = _ours("down", folder / f"down-{run}", there, environ)
            rows["up"].append(count / up)
            rows["down"].append(count / down)
            rows["rss"].append(max(up_rss, down_rss))
            rows["get"].append(count / _theirs(tool, environ, "-get", there, str(folder / f"get-{run}")))
            rows["put"].append(min(count, _PUT) / _theirs(tool, environ, "-put", str(few), f"{there}-put"))
            names = [f"{n:06d}" for n in range(min(count, _SINGLE))]
            gets = [
                _theirs(tool, environ, "-get", f"{there}/{n}", str(folder / f"single-{run}-{n}"))
                for n in names
            ]
            puts = [_theirs(tool, environ, "-put", str(source / n), f"{there}-put/single-{n}") for n in names]
            rows["gets"].append(len(gets) / sum(gets))
            rows["puts"].append(len(puts) / sum(puts))
    finally:
        subprocess.run([tool, "dfs", "-rm", "-r", "-f", "-skipTrash", root], env=environ, check=False)
    get, put, gets, puts = (_median(rows[name]) for name in ("get", "put", "gets", "puts"))

    def ours(name: str, way: str, base: float, goal: float) -> Figure:
        return figure(name, "files/s", rows[way], base=base, goal=goal, limit="times")

    return [
        figure("hdfs dfs -get DIR", "files/s", rows["get"], base=get),
        ours("our download", "down", get, _LIKE_A_FOLDER),
        figure("hdfs dfs -get, one call for each file", "files/s", rows["gets"], base=gets),
        ours("our download, to one call for each file", "down", gets, _LIKE_SINGLE),
        figure(f"hdfs dfs -put DIR, {min(count, _PUT)} files", "files/s", rows["put"], base=put),
        ours("our upload", "up", put, _LIKE_A_FOLDER),
        figure("hdfs dfs -put, one call for each file", "files/s", rows["puts"], base=puts),
        ours("our upload, to one call for each file", "up", puts, _LIKE_SINGLE),
        figure("our process, resident at most", "MB", rows["rss"]),
    ]


def _ours(way: str, folder: Path, remote: str, environ: dict[str, str]) -> tuple[float, float]:
    """Seconds and MB."""
    words = [sys.executable, "-c", _COPY, way, str(folder), remote]
    said = subprocess.run(words, env=environ, check=True, capture_output=True, text=True).stdout
    seconds, rss = map(float, said.split())
    return seconds, rss


def _theirs(tool: str, environ: dict[str, str], *words: str) -> float:
    """Seconds that Hadoop's tool takes, its start included."""
    begin = time.monotonic()
    subprocess.run([tool, "dfs", *words], env=environ, check=True, capture_output=True)
    return time.monotonic() - begin


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
