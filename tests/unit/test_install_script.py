"""``install.sh`` of a bundle: what it makes for everybody, what it asks for, and what it never touches."""

from __future__ import annotations

import hashlib
import stat
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "install.sh"
# Stands for Python and pip; what they install is tested with a real bundle.
PYTHON = """#!/bin/sh
case "$*" in
*version_info*) echo 3.11 ;;
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
    printf '#!/bin/sh\\necho xlearning 1.0\\n' >"$3/bin/xl-submit" && chmod +x "$3/bin/xl-submit" ;;
"-m pip "*) [ ! -e "$(dirname "$0")/../../broken" ] ;;
esac
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    wheel = folder / "wheels" / "xlearning-1.0-py3-none-any.whl"
    wheel.parent.mkdir(parents=True)
    wheel.write_bytes(b"wheel")
    (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(b'wheel').hexdigest()}  wheels/{wheel.name}\n")
    template = folder / "xlearning-site.xml.template"
    template.write_text("<configuration/>")
    template.chmod(0o600)
    script = folder / "install.sh"
    script.write_text(SCRIPT.read_text().replace("@PYTHON@", "3.11"))
    (tmp_path / "python").write_text(PYTHON)
    for path in (script, tmp_path / "python"):
        path.chmod(0o755)
    return folder


def install(bundle: Path, *words: str, before: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f'{before}exec "$0" "$@"', str(bundle / "install.sh"), *words],
        cwd=bundle.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_everybody_can_read_what_a_careful_account_installs(bundle: Path, tmp_path: Path) -> None:
    done = install(bundle, "opt/xl", "./python", before="umask 077; ")
    assert done.returncode == 0, done.stderr
    prefix = tmp_path / "opt" / "xl"
    assert [mode(path) for path in (prefix.parent, prefix, prefix / "1.0")] == [0o755] * 3
    assert mode(prefix / "1.0" / "xlearning-site.xml.template") == 0o644
    (line,) = [line for line in done.stdout.splitlines() if "ln -s" in line]
    assert Path(line.split()[2]).is_absolute(), "a relative prefix leads somewhere from everywhere"
    assert Path(line.split()[2]).resolve() == prefix / "1.0" / "bin" / "xl-submit"


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_it_tells_its_usage(bundle: Path, word: str) -> None:
    done = install(bundle, word)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ./install.sh [PREFIX [PYTHON]]\n")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--prefix=/opt",), "there is no option --prefix=/opt"),
        (("opt", "-v"), "there is no option -v"),
        (("opt", "./python", "more"), "two words at most"),
        (("",), "an empty word"),
    ],
)
def test_what_is_no_folder_is_not_taken_for_one(bundle: Path, words: tuple[str, ...], why: str) -> None:
    before = sorted(bundle.parent.iterdir())
    done = install(bundle, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"install.sh: {why}" in done.stderr and "usage:" in done.stderr
    assert sorted(bundle.parent.iterdir()) == before


def test_nothing_of_others_is_removed(bundle: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "opt"
    (prefix / "1.0").mkdir(parents=True)
    (prefix / "1.0" / "precious").write_text("x")
    refused = install(bundle, str(prefix), "./python")
    assert (refused.returncode, (prefix / "1.0" / "precious").exists()) == (1, True)
    assert "exists; remove it to install it again" in refused.stderr
    other = tmp_path / "other"
    (other / "current").mkdir(parents=True)
    assert "is not a link of ours" in install(bundle, str(other), "./python").stderr
    assert sorted(path.name for path in other.iterdir()) == ["current"]
    broken = tmp_path / "broken-prefix"
    broken.mkdir()
    (broken / "broken").write_text("pip fails here")
    assert install(bundle, str(broken), "./python").returncode != 0
    assert sorted(path.name for path in broken.iterdir()) == ["broken"], "what it made itself is gone"
