"""Makes the ordinary wheel of torch run on a machine without the gigabytes of NVIDIA's libraries.

The wheel binds the versioned symbols of libcublas, cudnn, nccl and their like when it is loaded. Small
libraries that define them let it load; nothing calls them where there is no GPU. Needs gcc and binutils.
"""

from __future__ import annotations

import collections
import re
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

# Of libraries whose symbols bear no version, the symbols are told by how their names begin.
_BEGINNINGS = {"libnccl": "nccl", "libcusparseLt": "cusparseLt", "libcufile": "cuFile"}


@dataclass
class _Wanted:
    """What the libraries of torch want from others."""

    names: set[str] = field(default_factory=set)
    tags: dict[str, set[str]] = field(default_factory=lambda: collections.defaultdict(set))
    symbols: dict[str, set[str]] = field(default_factory=lambda: collections.defaultdict(set))
    plain: set[str] = field(default_factory=set)

    def read(self, library: Path) -> None:
        needed = re.findall(r"NEEDED.*\[(.*?)\]", _answer("readelf", "-d", library))
        self.names |= {name for name in needed if re.match(r"lib(cu|nccl|nv)", name)}
        current = ""
        for line in _answer("readelf", "-V", library).splitlines():
            if found := re.search(r"File: (\S+)", line):
                current = found.group(1)
            if current and (found := re.search(r"Name: (\S+)\s+Flags", line)):
                self.tags[current].add(found.group(1))
        for line in _answer("nm", "-D", "--undefined-only", library).splitlines():
            symbol, *tag = re.split("@+", line.split()[-1])
            (self.symbols[tag[0]] if tag else self.plain).add(symbol)


def make_stubs(environment: Path) -> None:
    """Put into torch's folder every library that it needs and that nobody brings.

    Parameters
    ----------
    environment
        Virtual environment that holds torch, nvidia-cuda-runtime and nvidia-cuda-cupti.
    """
    (site,) = environment.glob("lib/python*/site-packages")
    folder = site / "torch" / "lib"
    wanted = _Wanted()
    for library in folder.glob("*.so"):
        if "libtorch_cuda_linalg" not in library.name:
            wanted.read(library)
    for name in sorted(wanted.names):
        # A stub of libcuda would hide from the CUDA runtime that there is no driver.
        if not list(site.glob(f"nvidia/**/lib/{name}")) and not name.startswith("libcuda.so"):
            _make(folder / name, wanted)


def _make(library: Path, wanted: _Wanted) -> None:
    base = library.name.split(".so")[0]
    tag = next((tag for tag in sorted(wanted.tags[library.name]) if tag in wanted.symbols), None)
    beginning = _BEGINNINGS.get(base, base[3:])
    symbols = wanted.symbols[tag] if tag else {name for name in wanted.plain if name.startswith(beginning)}
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "stub.c").write_text(_source(symbols))
        words: list[str | Path] = ["gcc", "-w", "-shared", "-fno-builtin", "-fPIC", "-O1"]
        if tag:
            (work / "versions").write_text(f"{tag} {{ global: *; }};\n")
            words += [f"-Wl,--version-script={work}/versions"]
        words += [work / "stub.c", f"-Wl,-soname,{library.name}", "-o", library]
        subprocess.run(words, check=True)


def _source(symbols: Iterable[str]) -> str:
    return "".join(f"int {symbol}(void){{return 100;}}\n" for symbol in sorted(symbols)) or "int nothing;\n"


def _answer(*words: str | Path) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout
