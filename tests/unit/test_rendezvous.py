"""Where an agent looks for its ApplicationMaster, and what it concludes from what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.container.rendezvous import Fenced, Over, Rendezvous
from xlearning.fs.local import LocalFileSystem


def test_before_during_and_after_an_attempt(tmp_path: Path) -> None:
    staging = tmp_path / "staging"
    rendezvous = Rendezvous(LocalFileSystem, staging.as_uri(), 1)
    assert rendezvous.locate() is None  # agents may start before anything is staged
    staging.mkdir()
    assert rendezvous.locate() is None
    (staging / "am-1.json").write_text('{"address": "here:1"}')
    assert rendezvous.locate() == "here:1"
    (staging / "am-1.json").unlink()
    with pytest.raises(Over, match="the application has ended"):
        rendezvous.locate()


def test_a_newer_attempt(tmp_path: Path) -> None:
    (tmp_path / "am-1.json").write_text('{"address": "here:1"}')
    (tmp_path / "am-2.json").write_text('{"address": "here:2"}')
    with pytest.raises(Fenced, match="attempt 2"):
        Rendezvous(LocalFileSystem, tmp_path.as_uri(), 1).locate()
