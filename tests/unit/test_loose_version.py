"""skein is loaded without distutils, so without setuptools and its hooks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from xlearning.cluster.loose_version import LooseVersion, without_distutils


@pytest.mark.parametrize(
    ("version", "other", "less"),
    [
        ("1.9.0", "1.18.0", True),
        ("1.18.0", "1.18.0", False),
        ("1.80.1", "1.18.0", False),
        ("1.17rc", "2", True),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, other: str, less: bool) -> None:
    assert (LooseVersion(version) < other) is less


def test_all_is_as_before_afterwards() -> None:
    before = {name: module for name, module in sys.modules.items() if name.startswith("distutils")}
    with without_distutils():
        from distutils.version import LooseVersion as Found
    assert Found is LooseVersion
    assert {name: module for name, module in sys.modules.items() if name.startswith("distutils")} == before


def test_skein_is_loaded_without_setuptools() -> None:
    code = (
        "import sys; from xlearning.cluster.skein import _skein; skein = _skein(); "
        "assert skein.ApplicationSpec; "
        "sys.exit(', '.join(name for name in ('setuptools', 'distutils') if name in sys.modules) or None)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
