"""Finding a Java that the wanted Hadoop runs on."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from .errors import MiniHadoopError

INSTALL = "apt-get install openjdk-17-jdk-headless (or your system's JDK 17)"


def java_home() -> Path:
    """Folder of the Java installation: ``JAVA_HOME``, else the one of ``java`` on the PATH.

    Raises
    ------
    MiniHadoopError
        There is none; the message says what to install.
    """
    named = os.environ.get("JAVA_HOME")
    if named:
        if not (Path(named) / "bin/java").is_file():
            raise MiniHadoopError(f"JAVA_HOME={named} has no bin/java: correct it or unset it")
        return Path(named)
    java = shutil.which("java")
    if java is None:
        raise MiniHadoopError(f"no Java on this machine: {INSTALL}")
    return Path(java).resolve().parents[1]


def java_major(home: Path) -> int | None:
    """Major version (11, 17, ...) by the installation's ``release`` file; None where it has none."""
    try:
        text = (home / "release").read_text(errors="replace")
    except OSError:
        return None
    match = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', text, re.MULTILINE)
    return int(match.group(1)) if match else None


def suitable_java(hadoop: str) -> Path:
    """Return the Java home after checking that Hadoop of this version runs on it.

    Hadoop before 3.5 calls ``Subject.getSubject``, which throws from Java 23 on; 3.5 is compiled for 17.

    Raises
    ------
    MiniHadoopError
        No Java, or one that is too old or too new.
    """
    home = java_home()
    major = java_major(home)
    low, high = (17, 99) if hadoop >= "3.5" else (11, 22)
    if major is not None and not low <= major <= high:
        wanted = f"Java {low} or newer" if high == 99 else f"Java {low} to {high}"
        raise MiniHadoopError(
            f"Hadoop {hadoop} needs {wanted}, but {home} is Java {major}: {INSTALL}, and name it in JAVA_HOME"
        )
    return home
