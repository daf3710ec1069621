"""What dead clients and old versions leave on the gateway."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xlearning.client.uploading.here import sweep_here

DAY = 86400.0
NOW = 20000 * DAY


def test_old_wheels_and_half_fetched_ones_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    sweep_here(environ, NOW)
    ages = {"cp310-a": 40, "cp310-b": 20, "draft-x": 2, "draft-y": 0.5}
    for name, days in ages.items():
        folder = tmp_path / "xlearning" / "wheels" / name
        (folder / "grpc").mkdir(parents=True)
        os.utime(folder, (NOW - days * DAY, NOW - days * DAY))
    sweep_here(environ, NOW)
    assert {path.name for path in (tmp_path / "xlearning" / "wheels").iterdir()} == {"cp310-b", "draft-y"}
