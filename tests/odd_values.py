"""A command line full of values that quoting spoils easily, and what a program must find of it."""

from __future__ import annotations

import json
import os
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

from submitting import PROGRAMS

# 200 kB in all
WORDS = (
    *(
        b"",
        b" ",
        b"a=b,c d",
        b"'\"$HOME`x`\\",
        b"\n\t\r\n",
        b"--env",
        b"--",
        b"-x=",
        b"${index}",
        b"!!",
        b"*",
    ),
    *(b"\xff\xfe\xc3", "é中😀".encode(), b"x" * 131_071, *(b"%d" % n * 5_000 for n in range(10, 17))),
)
VALUES = {
    "PAIR": b"a=b=c",
    "EMPTY": b"",
    "LIST": b" a, b ,c ",
    "QUOTED": b"'\"$HOME`x`$(x)\\",
    "LINES": b"\n\ta\r\nb\n",
    "TEXT": "é中😀".encode(),
    "BYTES": b"\xff\xfe\xc3",
    "LONG": b"v" * 100_000,
}
FILE, UNPACKED = "a, 'b' c=d.txt", "u,v w"


class OddValues:
    """Such a line, with files in ``work``; outputs go below the address ``out``.

    Parameters
    ----------
    yarn : bool
        Leave out names that are no UTF-8 text.
    """

    def __init__(self, work: Path, out: str, *, yarn: bool) -> None:
        self._work, self._out = work, out
        self.local = "o, 'm' é" if yarn else "o, 'm' $x é"
        self.name = "n, 'a' é中\U0001f600 $x"

    def words(self) -> list[str]:
        """What follows `xl-submit`."""
        for name in (FILE, "aliased"):
            (self._work / name).write_bytes(name.encode())
        with tarfile.open(self._work / "packed, x.tgz", "w:gz") as tar:
            tar.add(self._work / "aliased", arcname="inner")
        quoted = (b"F_%s='%s'\n" % (name.encode(), _escaped(value)) for name, value in VALUES.items())
        (self._work / "odd, .env").write_bytes(b"".join(quoted))
        given = [f"--env={name}={os.fsdecode(value)}" for name, value in VALUES.items()]
        family = [
            f"--conf=xlearning.container.env.C_{name}={os.fsdecode(value)}" for name, value in VALUES.items()
        ]
        files = ["--files", f"{PROGRAMS / 'raw.py'},{_listed(FILE)}", "--env-file", "odd, .env"]
        archives = ["--archives", f"{_listed('packed, x.tgz')}#{_listed(UNPACKED)}"]
        return [
            *("--app-name", self.name, "--output", f"{_listed(self._out)}#{self.local}"),
            *given, *family, *files, *archives,
            *("--", sys.executable, "raw.py", self.local, *map(os.fsdecode, WORDS)),
        ]  # fmt: skip

    def check(self, written: str) -> None:
        """What the program has written."""
        raw = json.loads(written)
        assert [bytes.fromhex(word) for word in raw["words"]] == [*WORDS]
        variables = _raw(raw["variables"])
        for prefix in ("", "F_", "C_"):
            found = {name: variables.get(f"{prefix}{name}".encode()) for name in VALUES}
            assert found == VALUES, prefix
        files = _raw(raw["files"])
        assert files[FILE.encode()] == FILE.encode()
        assert files[f"{UNPACKED}/inner".encode()] == b"aliased"


def _raw(pairs: Mapping[str, str]) -> dict[bytes, bytes]:
    return {bytes.fromhex(name): bytes.fromhex(value) for name, value in pairs.items()}


def _escaped(value: bytes) -> bytes:
    return value.replace(b"\\", b"\\\\").replace(b"'", b"\\'")


def _listed(name: str) -> str:
    return name.replace(",", "\\,")
