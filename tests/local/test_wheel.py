"""The wheel in a clean environment: it holds everything, and the same job runs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        words, cwd=cwd, env={**clean, **environ}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from an sdist, so that stale files of a build folder cannot get in."""
    out = tmp_path_factory.mktemp("dist")
    built = run(sys.executable, "-m", "build", "--outdir", str(out), str(ROOT), cwd=out)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = out.glob("*.whl")
    return path


def test_the_wheel_holds_every_package_and_its_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "am", "container", "proto", "webui", "conf", "xlearning"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
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


def test_a_job_runs_from_a_wheel_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    env = tmp_path / "env"
    assert run(sys.executable, "-m", "venv", str(env), cwd=tmp_path).returncode == 0
    installed = run(str(env / "bin" / "pip"), "install", "-q", str(wheel), cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    same_archive_as_here(env, tmp_path)
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "xlearning-site.xml").write_text(
        "<configuration><property><name>xlearning.local.dir</name>"
        f"<value>{tmp_path / 'local'}</value></property></configuration>"
    )
    ended = run(
        *(str(env / "bin" / "xl-submit"), "--local", "--worker-num", "2", "--output", "out#model"),
        *("--", "bash", "-c", "echo $INDEX > model/index"),
        cwd=tmp_path,
        XLEARNING_CONF_DIR=str(conf),
    )
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "out" / "_SUCCESS").exists()
    assert sorted(path.read_text() for path in tmp_path.glob("out/*/index")) == ["0\n", "1\n"]


def same_archive_as_here(env: Path, folder: Path) -> None:
    """What goes to the nodes holds the same files of ours from a wheel as from this checkout."""
    program = (
        "from pathlib import Path; from xlearning.client.packaging import nodes, package\n"
        "here = nodes.gateway(); made = package.build(here, here, Path('wheels'))\n"
        "print(*sorted(made.whole.files), sep='\\n')"
    )
    found = [
        run(python, "-c", program, cwd=folder) for python in (str(env / "bin" / "python"), sys.executable)
    ]
    assert all(done.returncode == 0 for done in found), [done.stderr for done in found]
    wheel, here = (
        {name for name in done.stdout.splitlines() if name.startswith("xlearning/")} for done in found
    )
    assert "xlearning/container/bootstrap.py" in wheel
    assert {n for n in wheel if n.endswith(".py")} == {n for n in here if n.endswith(".py")}
