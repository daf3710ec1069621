"""The table of properties is consistent in itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

from xlearning.config import KEYS, Config, Key, Kind, lookup
from xlearning.config.keys import canonical, is_known, suggestions
from xlearning.config.values import accepted, parse

OURS = ("xlearning.", "hbox.")


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_key(key: Key) -> None:
    assert key.doc.endswith(".")
    if key.name.startswith("xlearning."):
        names = {name.partition(".")[2] for name in (key.name, *key.aliases) if name.startswith(OURS)}
        both = {prefix + name for name in names for prefix in ("xlearning.", "hbox.")}
        assert both <= {key.name, *key.aliases}
    assert all(lookup(alias) is key for alias in key.aliases)
    assert bool(key.values) == (key.kind is Kind.ENUM)
    assert accepted(key)
    if key.default is not None:
        parse(key, key.default)


def test_names_and_aliases_are_unique() -> None:
    names = [name for key in KEYS for name in (key.name, *key.aliases)]
    assert len(set(names)) == len(names)


def test_defaults_are_typed() -> None:
    config = Config.from_properties({})
    assert config.get("xlearning.worker.memory") == 1024
    assert config.get("xlearning.localresource.timeout") == 300.0
    assert config.get("xlearning.agent.timeout") == 10.0
    assert config.get("xlearning.log.pull.interval") == 1.0
    assert config.get("xlearning.worker.mem.autoscale") == 0.5
    assert config.get("xlearning.cleanup.enable") is True
    assert config.get("xlearning.input.strategy") == "DOWNLOAD"
    assert config.get("xlearning.chief.worker.memory") is None
    assert config.get("xlearning.createcontainerid.dir") is None
    assert config.get("xlearning.local.dir").startswith("/")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hbox.driver.memory", "xlearning.am.memory"),
        ("hbox.driver.cores", "xlearning.am.cores"),
        ("hbox.upload.file.thread.nums", "xlearning.upload.output.thread.nums"),
        ("hbox.createcontainerid.dir", "xlearning.createcontainerid.dir"),
        ("hbox.worker.num", "xlearning.worker.num"),
        ("hbox.container.env.PATH", "xlearning.container.env.PATH"),
        ("hbox.am.env.hbox.x", "xlearning.am.env.hbox.x"),
        ("hbox.vpc.duration", "xlearning.vpc.duration"),
        ("fs.defaultFS", "fs.defaultFS"),
    ],
)
def test_canonical_names(name: str, expected: str) -> None:
    assert canonical(name) == expected
    assert canonical(expected) == expected


def test_known_names_and_suggestions() -> None:
    assert is_known("xlearning.container.env.X")
    assert not is_known("xlearning.container.env.")
    assert not is_known("xlearning.worker.memroy")
    assert suggestions("xlearning.worker.memroy") == ["xlearning.worker.memory"]
    assert suggestions("hbox.drivr.memory") == ["hbox.driver.memory"]
    assert suggestions("xlearning.qqqqqq") == []


def test_import_is_cheap() -> None:
    code = "import sys; before = set(sys.modules); import xlearning.config; print(*set(sys.modules) - before)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "xlearning.config.layers" in loaded
    heavy = {"dataclasses", "inspect", "importlib.metadata", "xml.etree.ElementTree", "difflib", "logging"}
    assert not heavy & set(loaded)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("xlearning.worker.num", "99999999999999999999", "from 1 to 10000"),
        ("xlearning.ps.num", "10001", "from 0 to 10000"),
        ("xlearning.worker.cores", "2147483648", "at most 2147483647"),
        ("xlearning.worker.memory", "99999999999g", "at most 2147483647m"),
        ("xlearning.worker.mem.autoscale", "1e999", "at most 1000000"),
        ("xlearning.agent.timeout", "99999999999999d", "at most 3650d"),
    ],
)
def test_numbers_that_nothing_could_carry(name: str, text: str, said: str) -> None:
    key = lookup(name)
    assert key is not None
    with pytest.raises(ValueError, match=said):
        parse(key, text)
