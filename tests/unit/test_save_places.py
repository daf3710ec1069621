"""Where the parts of a save go, and what they are called."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from job_samples import APP

from xlearning.am.launch import new_save_id, save_order
from xlearning.config import Config
from xlearning.container.amount import Amount
from xlearning.container.outputs.hold import Hold
from xlearning.container.outputs.ledger import Ledger
from xlearning.container.outputs.save import Order, save
from xlearning.container.outputs.upload import Output
from xlearning.fs import FileSystems
from xlearning.job import JobSpec, OutputSpec

FSS = FileSystems("file://")
CONFIG = Config.from_properties({})


@pytest.mark.parametrize(("index", "stored"), [(0, ["log/a", "model/a"]), (None, ["a", "b"])])
def test_two_outputs_of_one_address(tmp_path: Path, index: int | None, stored: list[str]) -> None:
    """They are saved side by side where they are published so, and their equal names do not meet."""
    remote, other = (tmp_path / "remote").as_uri(), (tmp_path / "other").as_uri()
    outputs = (OutputSpec(remote, "model"), OutputSpec(remote, "log"), OutputSpec(other, "rest"))
    for local, name in (("model", "a"), ("log", "b" if index is None else "a"), ("rest", "a")):
        (tmp_path / local).mkdir()
        (tmp_path / local / name).write_text(local)
    job = JobSpec(APP, "n", "T", "me", ("x",), (), "", "", outputs=outputs, output_index=index)
    sent = save_order(job, CONFIG, 1, "s1", "c1")
    order = Order("s1", [Output(*pair) for pair in sent.transfers], sent.moves)
    hold, amount = Hold(tmp_path, "s1", CONFIG, lambda: None), Amount()
    save(order, Ledger("s1", tmp_path), hold, tmp_path, FSS, CONFIG, amount, cancel=threading.Event())
    assert (amount.files, amount.total_files, amount.size) == (3, 3, 12)
    for folder, names in (("remote", stored), ("other", ["a"])):
        whole = tmp_path / folder / "interResult_s1"
        about = json.loads((whole / "_manifest" / "c1.json").read_text())
        assert [one["path"] for one in about["files"]] == names
        assert [(whole / "c1" / name).stat().st_size for name in names] == [
            one["size"] for one in about["files"]
        ]


def test_a_newer_save_has_a_later_id() -> None:
    """Also where the local time goes back, as it does once a year."""
    now = time.mktime((2026, 12, 31, 23, 59, 59, 0, 0, -1))
    first = new_save_id(now, [])
    assert first == "2026_12_31_23_59_59"
    second = new_save_id(now - 3600, [first])
    assert second == "2027_01_01_00_00_00"
    assert new_save_id(now, [second, first]) == "2027_01_01_00_00_01"
    assert new_save_id(now + 9, [first, second]) == "2027_01_01_00_00_08"
