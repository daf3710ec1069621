"""A job runs from a bundle without a network, from pipx, with the oldest and the newest of everything."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from interpreters import other_pythons, version_of
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
OLDEST = (3, 10)
NOWHERE = "http://127.0.0.1:9/"  # discard: nobody listens there


def run(*words: str | Path, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    ours = ("PYTHONPATH", "VIRTUAL_ENV", "HADOOP_CONF_DIR", "XLEARNING_CONF_DIR")
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**clean, **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def done(*words: str | Path, cwd: Path, **environ: str) -> str:
    """Standard output of what must succeed."""
    ended = run(*words, cwd=cwd, **environ)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpacked as on a gateway."""
    out = tmp_path_factory.mktemp("bundle")
    archive = Path(done(sys.executable, ROOT / "tools" / "bundle.py", "--output", out, cwd=out).strip())
    with tarfile.open(archive) as tar:
        tar.extractall(out)
    return out / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def wheel(bundle: Path) -> Path:
    """Ours."""
    (path,) = bundle.glob("wheels/xlearning-*.whl")
    return path


def a_job_runs(bin_folder: Path, folder: Path) -> None:
    conf = folder / "conf"
    conf.mkdir()
    (conf / "xlearning-site.xml").write_text(
        "<configuration><property><name>xlearning.local.dir</name>"
        f"<value>{folder / 'local'}</value></property></configuration>"
    )
    ended = run(
        *(bin_folder / "xl-submit", "--local", "--worker-num", "2", "--output", "out#model"),
        *("--board-enable", "true"),
        *("--", "bash", "-c", "echo $INDEX > model/index; sleep 2"),
        cwd=folder,
        XLEARNING_CONF_DIR=str(conf),
    )
    assert ended.returncode == 0, ended.stderr
    assert "SUCCEEDED" in ended.stderr
    assert "Page: http" in ended.stderr
    assert "has ended" not in ended.stderr, "TensorBoard runs too"
    assert (folder / "out" / "_SUCCESS").exists()
    assert sorted(path.read_text() for path in folder.glob("out/*/index")) == ["0\n", "1\n"]


def test_the_wheel_holds_every_package_and_its_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = done(
        *("git", "ls-files", "am", "container", "proto", "webui", "conf", "xlearning"), cwd=ROOT
    ).splitlines()
    wanted = {
        name if name.startswith("xlearning/") else f"xlearning/{name}"
        for name in tracked
        if name.endswith((".py", ".html", ".css", ".js", ".json", ".xml", ".proto", ".svg", "py.typed"))
    }
    assert wanted - names == set()
    assert {name.split("/")[0] for name in names} == {
        "xlearning",
        f"xlearning-{wheel.name.split('-')[1]}.dist-info",
    }


def test_a_bundle_installs_without_a_network(bundle: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "opt"
    offline = {"PIP_INDEX_URL": NOWHERE, "https_proxy": NOWHERE, "http_proxy": NOWHERE}
    said = done(bundle / "install.sh", prefix, sys.executable, cwd=tmp_path, **offline)
    version = done(prefix / "current" / "bin" / "xl-submit", "--version", cwd=tmp_path).strip()
    assert f"installed {version} in {prefix}/" in said
    assert (prefix / "current" / "xlearning-site.xml.template").exists()
    a_job_runs(prefix / "current" / "bin", tmp_path)
    same_archive_as_here(prefix / "current", tmp_path)
    again = run(bundle / "install.sh", prefix, sys.executable, cwd=tmp_path)
    assert again.returncode == 1
    assert "exists; remove it to install it again" in again.stderr


def same_archive_as_here(env: Path, folder: Path) -> None:
    """What goes to the nodes holds the same files of ours from a wheel as from this checkout."""
    program = (
        "from pathlib import Path; from xlearning.client.packaging import nodes, package\n"
        "here = nodes.gateway(); made = package.build(here, here, Path('wheels'))\n"
        "print(*sorted(made.whole.files), sep='\\n')"
    )
    pythons = (env / "bin" / "python", sys.executable)
    wheel, here = (
        {
            name
            for name in done(python, "-c", program, cwd=folder).splitlines()
            if name.startswith("xlearning/")
        }
        for python in pythons
    )
    assert "xlearning/container/bootstrap.py" in wheel
    assert {n for n in wheel if n.endswith(".py")} == {n for n in here if n.endswith(".py")}


def test_what_a_bundle_refuses(bundle: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    done("cp", "-r", bundle, copy, cwd=tmp_path)
    prefix = tmp_path / "opt"
    for words, why in (
        (("no-such-python",), "there is no no-such-python here; name it"),
        ((old_python(tmp_path),), "this bundle is for Python"),
    ):
        refused = run(copy / "install.sh", prefix, *words, cwd=tmp_path)
        assert refused.returncode == 1
        assert why in refused.stderr
    next(copy.glob("wheels/click-*.whl")).write_bytes(b"half")
    damaged = run(copy / "install.sh", prefix, sys.executable, cwd=tmp_path)
    assert damaged.returncode == 1
    assert "the bundle is damaged" in damaged.stderr
    assert not prefix.exists()


def old_python(folder: Path) -> Path:
    """What says of itself that it is Python 2.7."""
    program = folder / "python2.7"
    program.write_text("#!/bin/sh\necho 2.7\n")
    program.chmod(0o755)
    return program


def oldest_python() -> Path:
    """The oldest interpreter here that is new enough."""
    return next((path for path in other_pythons() if version_of(path) >= OLDEST), Path(sys.executable))


def newest_python() -> Path:
    return max((*other_pythons(), Path(sys.executable)), key=version_of)


def minimum_versions() -> list[str]:
    """Constraints that hold every direct dependency at the oldest version that setup.cfg admits."""
    setup = configparser.ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg")
    pinned = []
    for line in setup["options"]["install_requires"].split("\n"):
        if not line.strip():
            continue
        requirement = Requirement(line)
        (least,) = (s.version for s in requirement.specifier if s.operator in (">=", "=="))
        pinned.append(f"{requirement.name}=={least}")
    return pinned


def versions(lines: list[str]) -> dict[str, Version]:
    """Canonical name -> version, but for what every environment has its own of."""
    pairs = (line.split("==") for line in lines)
    found = {canonicalize_name(name): Version(version) for name, version in pairs}
    return {name: version for name, version in found.items() if name not in ("pip", "setuptools")}


def test_the_oldest_of_everything(wheel: Path, tmp_path: Path) -> None:
    constraints = tmp_path / "oldest.txt"
    constraints.write_text("\n".join(minimum_versions()) + "\n")
    env = tmp_path / "env"
    done(oldest_python(), "-m", "venv", env, cwd=tmp_path)
    done(env / "bin" / "pip", "install", "-q", "-c", constraints, wheel, cwd=tmp_path)
    installed = versions(done(env / "bin" / "pip", "list", "--format", "freeze", cwd=tmp_path).splitlines())
    for name, version in versions(minimum_versions()).items():
        assert installed.get(name, version) == version, name
    a_job_runs(env / "bin", tmp_path)
    # the program of Java formats is run with the optional jpype1 alone
    every_module = (
        "import importlib, pkgutil, xlearning\n"
        "for m in pkgutil.walk_packages(xlearning.__path__, 'xlearning.'):\n"
        "    if not m.name.endswith(('__main__', '.java.jvm', '.java.writing')):\n"
        "        importlib.import_module(m.name)\n"
        "import skein"
    )
    done(env / "bin" / "python", "-c", every_module, cwd=tmp_path)


def test_pipx_with_the_newest_python(wheel: Path, tmp_path: Path) -> None:
    places = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    words = (sys.executable, "-m", "pipx", "install", "--python", newest_python(), wheel)
    done(*words, cwd=tmp_path, **places)
    a_job_runs(tmp_path / "bin", tmp_path)


@pytest.mark.large
@pytest.mark.parametrize("python", other_pythons(), ids=lambda path: path.name)
def test_every_python_that_is_here(python: Path, wheel: Path, tmp_path: Path) -> None:
    env = tmp_path / "env"
    if version_of(python) < OLDEST:
        made = run(python, "-m", "pip", "install", "--no-deps", "--target", env, wheel, cwd=tmp_path)
        assert made.returncode != 0
        assert re.search(r"requires (a different )?Python.*>=3\.10", made.stderr + made.stdout)
        return
    done(python, "-m", "venv", env, cwd=tmp_path)
    done(env / "bin" / "pip", "install", "-q", wheel, cwd=tmp_path)
    a_job_runs(env / "bin", tmp_path)
