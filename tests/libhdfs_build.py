"""libhdfs, which no registry has ready to use: compiled from Hadoop's sources and kept between runs."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

_CRATE = 'hdfs-sys = "=0.3.1"'  # carries the sources


def built(java_home: str) -> Path:
    """Folder with ``libhdfs.so``."""
    missing = [name for name in ("cargo", "gcc") if shutil.which(name) is None]
    if missing:
        words = f"LIBHDFS IS NOT TESTED: no {' and '.join(missing)}, which build it"
        if os.environ.get("CI") == "true":
            pytest.fail(words, pytrace=False)
        pytest.skip(words)
    folder = (
        Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "xlearning-tests" / "libhdfs-3.3"
    )
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "libhdfs.so").exists():
            _compile(folder, _sources(folder), Path(java_home))
    return folder


def _sources(folder: Path) -> Path:
    crate = folder / "crate"
    (crate / "src").mkdir(parents=True, exist_ok=True)
    (crate / "src" / "lib.rs").write_text("")
    (crate / "Cargo.toml").write_text(
        f'[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n{_CRATE}\n'
    )
    subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=crate, check=True, stdout=subprocess.DEVNULL)
    return crate / "vendor" / "hdfs-sys" / "libhdfs"


def _compile(folder: Path, sources: Path, java: Path) -> None:
    version = sources / "hdfs_3_3"
    places = [sources, version, version / "include", version / "include" / "hdfs", version / "os"]
    places += [version / "os" / "posix", java / "include", java / "include" / "linux"]
    files = [*version.glob("*.c"), *(version / "os" / "posix").glob("*.c")]
    jvm = java / "lib" / "server"
    command = [*("gcc", "-w", "-O1", "-shared", "-fPIC", "-fcommon", "-D_GNU_SOURCE")]
    command += [*(f"-I{p}" for p in places), *map(str, files)]
    command += ["-o", str(folder / "new.so"), f"-L{jvm}", "-ljvm", f"-Wl,-rpath,{jvm}"]
    subprocess.run(command, check=True)
    (folder / "new.so").rename(folder / "libhdfs.so")
