"""Virtual environments with real frameworks, which stand for the user's: built once, kept between runs.

One recipe per environment; what it holds is the user's Python with nothing of ours in it. Run as a program
it builds those that are named, one after the other, while tests that need none of them run.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import inspect
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch_stubs

# Environments that no test has asked for are kept for these seconds.
_KEPT = 21 * 24 * 3600.0


@dataclass(frozen=True)
class Recipe:
    """What makes one environment.

    Parameters
    ----------
    installs
        Arguments of one ``pip install`` after the other.
    programs
        What must be on this machine besides Python (a compiler, mpirun).
    variables
        Set while packages are installed.
    system
        The environment also sees the packages of the operating system's Python, which it is made with.
    finish
        Called with the environment's folder after all is installed.
    modules
        Imported once at the end: it works, and their compiled form is there for every later start.
    """

    installs: tuple[tuple[str, ...], ...]
    programs: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    system: bool = False
    finish: Callable[[Path], None] | None = None
    modules: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Another recipe, another key."""
        source = inspect.getsource(inspect.getmodule(self.finish) or torch_stubs) if self.finish else ""
        facts = (self.installs, self.variables, self.system, self.modules, source, sys.version_info[:2])
        return hashlib.sha256(repr(facts).encode()).hexdigest()[:12]


_HOROVOD = (
    ("wheel", "setuptools<70", "packaging", "cloudpickle", "psutil", "pyyaml"),
    ("numpy==1.24.3", "tensorflow-cpu==2.13.1"),
    ("--no-build-isolation", "--no-deps", "horovod==0.28.1"),
)

RECIPES = {
    "tensorflow": Recipe((("tensorflow-cpu==2.21.0",),), modules=("tensorflow",)),
    # What torch asks for would bring gigabytes of NVIDIA's libraries: only the small ones are real.
    "torch": Recipe(
        (
            ("--no-deps", "torch==2.15.0", "nvidia-cuda-runtime", "nvidia-cuda-cupti"),
            (
                *("filelock", "typing-extensions", "sympy", "networkx"),
                *("jinja2", "fsspec", "numpy", "setuptools>=77"),
            ),
        ),
        programs=("gcc", "readelf", "nm"),
        finish=torch_stubs.make_stubs,
        modules=("torch", "torch.distributed.run", "torch._dynamo"),  # the last for every optimizer
    ),
    "boosting": Recipe(
        (("xgboost-cpu==3.2.0", "lightgbm==4.7.0", "scikit-learn", "numpy"),),
        modules=("xgboost", "lightgbm", "sklearn.linear_model"),
    ),
    "horovod": Recipe(
        _HOROVOD,
        programs=("cmake", "c++", "mpirun"),
        variables=(
            *(("HOROVOD_WITH_GLOO", "1"), ("HOROVOD_WITHOUT_MPI", "1"), ("HOROVOD_CPU_OPERATIONS", "GLOO")),
            *(("HOROVOD_WITH_TENSORFLOW", "1"), ("HOROVOD_WITHOUT_PYTORCH", "1")),
            *(("HOROVOD_WITHOUT_MXNET", "1"), ("MAKEFLAGS", "-j2")),
        ),
        modules=("horovod.tensorflow",),
    ),
    # Needs the headers of Open MPI (Debian: libopenmpi-dev). pip's cache would give the build with gloo.
    "horovod-mpi": Recipe(
        (*_HOROVOD[:2], ("--no-cache-dir", *_HOROVOD[2])),
        programs=("cmake", "c++", "mpirun", "mpicxx"),
        variables=(
            *(("HOROVOD_WITH_MPI", "1"), ("HOROVOD_WITHOUT_GLOO", "1"), ("HOROVOD_CPU_OPERATIONS", "MPI")),
            *(("HOROVOD_WITH_TENSORFLOW", "1"), ("HOROVOD_WITHOUT_PYTORCH", "1")),
            *(("HOROVOD_WITHOUT_MXNET", "1"), ("MAKEFLAGS", "-j2")),
        ),
        modules=("horovod.tensorflow",),
    ),
    "mpi": Recipe((("mpi4py==4.1.2", "numpy"),), programs=("mpirun",), modules=("mpi4py.MPI", "numpy")),
    "mxnet": Recipe((("mxnet==1.9.1", "numpy==1.23.5"),), modules=("mxnet",)),
}


def environment(name: str) -> Path:
    """The folder of an environment, built when it is not there.

    Where it cannot be built the test skips, and fails where the environment says ``CI=true``.
    """
    folder, trouble = _prepared(name)
    if trouble:
        _give_up(trouble)
    return folder


def _prepared(name: str) -> tuple[Path, str]:
    """The folder of an environment, built when it is not there, and why it could not be built.

    Who asks for one that another process builds waits for it.
    """
    recipe = RECIPES[name]
    cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "xlearning-tests"
    folder = cache / f"framework-{name}-{recipe.key}"
    cache.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "whole").exists():
            _remove(folder)
            if trouble := _build(recipe, folder):
                return folder, f"no environment with {name}: {trouble}"
        (folder / "whole").touch()
    _tidy(cache)
    return folder, ""


def python(name: str) -> Path:
    """The interpreter of an environment."""
    return environment(name) / "bin" / "python"


def _tidy(cache: Path) -> None:
    """Remove environments that no test has asked for in weeks."""
    for mark in cache.glob("framework-*/whole"):
        if mark.stat().st_mtime < time.time() - _KEPT:
            _remove(mark.parent)


def _remove(folder: Path) -> None:
    """First the mark: what is half removed is never taken for whole."""
    (folder / "whole").unlink(missing_ok=True)
    if folder.exists():
        shutil.rmtree(folder)


# Built at its last place, with a mark when it is whole: an environment's programs name their own folder.
def _build(recipe: Recipe, folder: Path) -> str:
    """Why it could not be built; "" when it is there."""
    if missing := [program for program in recipe.programs if shutil.which(program) is None]:
        return f"{', '.join(missing)} is not installed"
    base = "/usr/bin/python3" if recipe.system else sys.executable
    options = ["--system-site-packages"] if recipe.system else []
    python, scratch = folder / "bin" / "python", folder / "tmp"
    scratch.mkdir(parents=True)
    # Compiling all modules of a large framework takes longer than downloading it.
    install = [python, "-m", "pip", "install", "--no-compile", "--quiet"]
    steps: list[list[str | Path]] = [[base, "-m", "venv", *options, folder]]
    steps += [[*install, *words] for words in recipe.installs]
    trouble = next(filter(None, (_run(step, recipe, scratch) for step in steps)), "")
    if trouble:
        return trouble
    if recipe.finish:
        recipe.finish(folder)
    modules = "\n".join(f"import {module}" for module in recipe.modules)
    trouble = _run([python, "-c", modules], recipe, scratch)
    shutil.rmtree(scratch)
    return trouble


def _run(step: list[str | Path], recipe: Recipe, scratch: Path) -> str:
    """What it said, if it failed; what it leaves in ``scratch`` when it is killed goes with the rest."""
    variables = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **dict(recipe.variables)}
    variables["TMPDIR"] = str(scratch)
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        step,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return f"{' '.join(map(str, step))}:\n{done.stdout[-4000:]}" if done.returncode else ""


def _give_up(trouble: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(trouble, pytrace=False)
    pytest.skip(trouble)


def main() -> None:
    """Build the named environments at low priority; a test that needs one which failed tries it again."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("name", nargs="+", choices=sorted(RECIPES))
    names = parser.parse_args().name
    os.nice(5)  # with less it would not be done before the tests need it
    for name in names:
        begun = time.monotonic()
        _, trouble = _prepared(name)
        print(trouble or f"environment with {name}: {time.monotonic() - begun:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
