"""Java classes of the tests' own, compiled and packed: formats of both of Hadoop's interfaces."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "programs" / "java"


def compiled(classes: str, folder: Path) -> Path:
    """The jar, made in ``folder``; ``classes`` is the class path of Hadoop."""
    if not shutil.which("javac"):
        if os.environ.get("CI") == "true":
            pytest.fail("the tests of Java formats need javac", pytrace=False)
        pytest.skip("there is no javac")
    sources = [str(source) for source in sorted(SOURCES.glob("*.java"))]
    subprocess.run(["javac", "-cp", classes, "-d", str(folder / "c"), *sources], check=True)
    subprocess.run(["jar", "cf", str(folder / "own.jar"), "-C", str(folder / "c"), "."], check=True)
    return folder / "own.jar"
