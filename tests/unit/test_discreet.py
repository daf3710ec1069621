"""Passwords in addresses: not in logs, not in the history, not in what YARN is told."""

from __future__ import annotations

import dataclasses
import json
import logging
import sys
from pathlib import Path

from xlearning.am.finish import _diagnostics
from xlearning.config.confidential import masked
from xlearning.config.discreet import DiscreetFormatter
from xlearning.fs import FileSystems
from xlearning.history.store import HistoryWriter
from xlearning.job import InputSpec, JobSpec, OutputSpec, RoleSpec

ADDRESS, SHOWN = "sftp://me:word@host/a", "sftp://me:(hidden)@host/a"


def test_all_texts_of_a_value() -> None:
    value = {"a": [ADDRESS, 1, None], ADDRESS: {"b": (ADDRESS, True)}, "c": 'say "x"'}
    assert masked(value) == {"a": [SHOWN, 1, None], ADDRESS: {"b": [SHOWN, True]}, "c": 'say "x"'}


def test_many_addresses_without_a_blank_take_no_time() -> None:
    text = "tcp://a:b;" * 50_000  # with a look for what follows each of them: minutes
    assert masked([text, f"{text}c@d"]) == [text, "tcp://a:(hidden)@d"]


def test_lines_and_tracebacks() -> None:
    try:
        raise OSError(f"{ADDRESS}: away")
    except OSError:
        record = logging.LogRecord("x", logging.ERROR, "", 1, "lost %s", (ADDRESS,), sys.exc_info())
    line = DiscreetFormatter("%(levelname)s %(message)s").format(record)
    assert line.startswith(f"ERROR lost {SHOWN}\n") and line.endswith(f"OSError: {SHOWN}: away")


def test_what_yarn_is_told() -> None:
    assert _diagnostics(f"worker:0: {ADDRESS}: away") == f"worker:0: {SHOWN}: away"


def test_the_history(tmp_path: Path) -> None:
    folder = tmp_path / "application_1_0001"
    writer = HistoryWriter(FileSystems(), folder.as_uri())
    job = JobSpec(
        "application_1_0001", "n", "T", "me", ("x",), (RoleSpec("worker", 1, 512, 1),), "", "file://"
    )
    job = dataclasses.replace(
        job, inputs=(InputSpec("a", (ADDRESS,)),), outputs=(OutputSpec(ADDRESS, "out"),)
    )
    writer.spec(job)
    writer.record("failed", {"reason": f"{ADDRESS}: away"}, 1.0)
    writer.close()
    texts = [path.read_text() for path in folder.iterdir()]
    assert len(texts) == 2 and not any("word" in text for text in texts)
    assert json.loads((folder / "spec.json").read_text())["inputs"][0]["patterns"] == [SHOWN]
