"""Java classes of the tests' own, compiled and packed: formats of both of Hadoop's interfaces."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

# Java's options by which a JVM starts with half the work
QUICK = (
    "-Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
SOURCES = Path(__file__).parent / "programs" / "java"


def compiled(classes: str, folder: Path) -> Path:
    """The jar, made in ``folder``; ``classes`` is the class path of Hadoop."""
    if not shutil.which("javac"):
        if os.environ.get("CI") == "true":
            pytest.fail("the tests of Java formats need javac", pytrace=False)
        pytest.skip("there is no javac")
    sources = [str(source) for source in sorted(SOURCES.glob("*.java"))]
    quick = ("-proc:none", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1")
    subprocess.run(["javac", *quick, "-cp", classes, "-d", str(folder / "c"), *sources], check=True)
    packed = shutil.make_archive(str(folder / "own"), "zip", folder / "c")
    return Path(packed).rename(folder / "own.jar")
