"""Configuration that is larger, deeper or longer than any that somebody has written."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from xlearning.client.clusters import conf_folder
from xlearning.client.planning.request import Request
from xlearning.client.planning.variables import variables
from xlearning.client.problems import Problem
from xlearning.config import Config, bounded, hadoop_xml, load, properties_file
from xlearning.config.expand import Expander
from xlearning.errors import ConfigError

ENDLESS = Path("/dev/zero")
XI = 'xmlns:xi="http://www.w3.org/2001/XInclude"'


def test_files_without_an_end(tmp_path: Path) -> None:
    for read in (hadoop_xml.read, properties_file.read, lambda path: conf_folder([path], None, tmp_path)):
        with pytest.raises(ConfigError, match=r"/dev/zero.*it goes on after 64 MiB"):
            read(ENDLESS)
    problems: list[Problem] = []
    request = Request(command=("x",), env_files=(str(ENDLESS),))
    variables(request, Config.from_properties({}), problems)
    assert [problem.message for problem in problems] == [
        "--env-file /dev/zero cannot be read: it goes on after 64 MiB"
    ]


def test_a_file_may_be_a_pipe(tmp_path: Path) -> None:
    """As ``<(...)`` of a shell is."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a=1\n" * 50_000,))
    writer.start()
    assert properties_file.read(pipe).values == {"a": "1"}
    writer.join()
    writer = threading.Thread(target=pipe.write_bytes, args=(b"x",))
    writer.start()
    assert bounded.read(pipe) == b"x"
    writer.join()


def test_includes_that_double(tmp_path: Path) -> None:
    for number in range(19):
        include = f'<xi:include href="{number + 1}.xml"/>' * 2
        (tmp_path / f"{number}.xml").write_text(f"<configuration {XI}>{include}</configuration>")
    (tmp_path / "19.xml").write_text("<configuration/>")
    with pytest.raises(ConfigError, match=r"0\.xml: xi:include brings more than 200 files"):
        hadoop_xml.read(tmp_path / "0.xml")


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<configuration>", "</configuration>"),
        ('<xi:include href="nowhere"><xi:fallback>', "</xi:fallback></xi:include>"),
    ],
)
def test_elements_in_each_other(opening: str, closing: str, tmp_path: Path) -> None:
    for depth, good in ((20_000, False), (90, True)):
        inner = f"{opening * depth}<property><name>a</name><value>1</value></property>{closing * depth}"
        (tmp_path / "deep.xml").write_text(f"<configuration {XI}>{inner}</configuration>")
        if good:
            assert hadoop_xml.read(tmp_path / "deep.xml").values == {"a": "1"}
        else:
            with pytest.raises(ConfigError, match="elements are nested deeper than 100"):
                hadoop_xml.read(tmp_path / "deep.xml")


def test_many_unknown_properties(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("xlearning.config.merge.suggestions", lambda name: asked.append(name) or [])
    config = Config.from_properties({f"xlearning.none.{number}": "1" for number in range(1000)})
    assert len(asked) == 20
    assert len(config.warnings) == 21
    assert config.warnings[-1] == "and 980 more unknown properties"


def test_many_unknown_elements(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f"<configuration>{'<a/>' * 1000}</configuration>")
    warnings = hadoop_xml.read(tmp_path / "a.xml").warnings
    assert len(warnings) == 21
    assert warnings[-1].endswith("unknown element <a> is ignored, and so on")


def test_references_to_long_values(tmp_path: Path) -> None:
    pairs = [("a.long", "x" * 2**20), ("a.user", "${a.long}" * 199)]
    with pytest.raises(ConfigError, match=r"a\.user=.*references make it longer than 1048576 char") as raised:
        load(environ={}, conf_dir=tmp_path, overrides=pairs)
    assert len(str(raised.value)) < 1000


def test_references_of_many_values(tmp_path: Path) -> None:
    pairs = [("a.long", "x" * 2**18), *((f"a.{number}", "${a.long}" * 3) for number in range(100))]
    with pytest.raises(ConfigError, match="too much text of all values together"):
        load(environ={}, conf_dir=tmp_path, overrides=pairs)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${a}${none}${a}", "1${none}1"),
        ("${n${a}}", "one"),
        ("${none}${n${a}}", "${none}one"),
        ("${open}a}", "1"),
        ("$${brace}a}", "1"),
        ("${a}${dollar}{a}", "11"),
        ("${empty}${a}", "1"),
        ("${n${empty}${a}}", "one"),
        ("${x ${a}", "${x 1"),
    ],
)
def test_references_that_others_complete(text: str, expected: str) -> None:
    values = {"a": "1", "n1": "one", "open": "${", "brace": "{", "dollar": "$", "empty": ""}
    assert Expander(values.get, {}).expand(text) == expected
