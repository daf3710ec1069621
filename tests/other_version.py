"""A second XLearning on this machine, of another version."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from submitting import Gateway

VERSION = "9.9.9"
_ROOT = Path(__file__).resolve().parents[1]
_BESIDE = (
    "am",
    "container",
    "proto",
    "webui",
    "conf",
)  # packages that lie beside that of their name in the tree


def use_other_version(gateway: Gateway, folder: Path) -> None:
    """Let a gateway run a copy of this tree with another version, made in ``folder``."""
    package = folder / "xlearning"
    shutil.copytree(_ROOT / "xlearning", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in _BESIDE:
        shutil.copytree(
            _ROOT / name, package / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules")
        )
    init = package / "__init__.py"
    text = init.read_text()
    here = next(line for line in text.splitlines() if line.startswith("__version__"))
    init.write_text(text.replace(here, f'__version__ = "{VERSION}"'))
    gateway.environment["PYTHONPATH"] = str(folder)
    gateway.program = (
        sys.executable,
        "-c",
        "import sys; from xlearning.client.cli import main; sys.exit(main())",
    )
