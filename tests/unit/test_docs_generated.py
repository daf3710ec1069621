"""Documents and templates that follow from the code, and names that they must not leave out."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path

import commands
import properties
import pytest
import schemas

from xlearning.am.core import actions, events
from xlearning.am.core.state import Phase
from xlearning.client.options import OPTIONS, spellings
from xlearning.config import load
from xlearning.config.hadoop_xml import read
from xlearning.config.keys import is_known, lookup
from xlearning.job import ContainerState

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "conf" / "xlearning-site.xml.template"
OPTION = re.compile(r"`(--[a-zA-Z][\w-]*)")
PROSE = re.compile(r"`((?:xlearning|hbox)\.[\w.]+)`")


def kinds(base: type) -> set[str]:
    return {
        name
        for kind in base.__subclasses__()
        for name in ({kind.__name__} | kinds(kind))
        if name != "AgentEvent"
    }


def is_package(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("path", properties.targets(), ids=lambda path: path.name)
def test_what_follows_from_the_table_of_properties_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == properties.targets()[path], "run tools/properties.py"


def test_the_packaged_file_repeats_the_defaults() -> None:
    values = read(ROOT / "conf" / "xlearning-default.xml").values
    keys = {name: lookup(name) for name in values}
    assert len(values) > 50
    assert values == {name: key.default for name, key in keys.items() if key}
    assert load(environ={}).explicit() == {}


def test_the_schemas_of_the_verbs_are_up_to_date() -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in schemas.TARGET.iterdir()}
    assert files == {name: schemas.render(name) for name in schemas.ANSWERS}, "run tools/schemas.py"


def test_the_list_of_commands_is_up_to_date() -> None:
    assert commands.TARGET.read_text(encoding="utf-8") == commands.render(), "run tools/commands.py"


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(kinds(events.Event), id="events"),
        pytest.param(kinds(actions.Action), id="actions"),
        pytest.param({phase.value for phase in Phase}, id="phases"),
        pytest.param({state.value for state in ContainerState}, id="container states"),
    ],
)
def test_the_architecture_names_all_parts_of_the_core(names: set[str]) -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert not {name for name in names if f"`{name}`" not in text}


def test_the_site_template_is_a_site_file(tmp_path: Path) -> None:
    shutil.copyfile(TEMPLATE, tmp_path / "xlearning-site.xml")
    assert read(tmp_path / "xlearning-site.xml").values
    config = load(environ={}, conf_dir=tmp_path)
    assert config.warnings == ()
    assert config.source("xlearning.local.dir").startswith("site file ")


def test_the_commented_properties_of_the_template_are_known_too() -> None:
    names = re.findall(r"<name>(.*?)</name>", TEMPLATE.read_text(encoding="utf-8"))
    assert len(names) > 10
    assert not [name for name in names if not is_known(name)]


def test_the_architecture_names_known_properties_and_packages() -> None:
    names = PROSE.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    assert any(is_known(name) for name in names)
    assert not [name for name in names if not is_known(name) and not is_package(name)]


def test_compatibility_names_every_option_of_the_original() -> None:
    text = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    chapter = text.partition("## 1.")[2].partition("## 2.")[0]
    named = {word for word in OPTION.findall(chapter) if word not in ("--option", "--")}
    known = spellings()
    assert not named - set(known)
    told = {known[word].name for word in named}
    assert not {option.name for option in OPTIONS} - told - {"worker-num"}
