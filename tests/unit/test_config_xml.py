"""Hadoop's configuration files, by the rules that its own Configuration class shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xlearning.config import hadoop_xml
from xlearning.errors import ConfigError


def read(folder: Path, body: str) -> hadoop_xml.XmlFile:
    file = folder / "a.xml"
    file.write_text(f"<?xml version='1.0'?>\n<configuration>{body}</configuration>", encoding="utf-8")
    return hadoop_xml.read(file)


def prop(name: str, value: str, more: str = "") -> str:
    return f"<property><name>{name}</name><value>{value}</value>{more}</property>"


def test_name_is_trimmed_and_value_is_kept(tmp_path: Path) -> None:
    assert read(tmp_path, prop("\n a.b ", " x\ny ")).values == {"a.b": " x\ny "}


def test_attribute_form(tmp_path: Path) -> None:
    file = read(
        tmp_path, "<property name='a' value='1' final='true'/><property name='b'><value>2</value></property>"
    )
    assert file.values == {"a": "1", "b": "2"}
    assert file.finals == {"a"}


def test_empty_values_set_nothing(tmp_path: Path) -> None:
    body = prop("a", "") + "<property><name>b</name></property><property><name>c</name><value/></property>"
    assert read(tmp_path, body).values == {}


def test_last_one_wins_and_cdata_and_comments(tmp_path: Path) -> None:
    assert read(tmp_path, prop("a", "1") + prop("a", "x<!-- no --><![CDATA[<&]]>")).values == {"a": "x<&"}


def test_final(tmp_path: Path) -> None:
    body = prop("a", "1", "<final> true </final>") + prop("b", "1", "<final>false</final>")
    assert read(tmp_path, body).finals == {"a"}


def test_description_and_source_are_no_concern(tmp_path: Path) -> None:
    file = read(tmp_path, prop("a", "1", "<description>d</description><source>s</source>"))
    assert file.values == {"a": "1"} and not file.warnings


def test_odd_elements_are_told(tmp_path: Path) -> None:
    file = read(tmp_path, "<propery><name>a</name></propery><property><value>1</value></property>")
    assert file.values == {}
    assert "unknown element <propery>" in file.warnings[0]
    assert "without a name" in file.warnings[1]


def test_include_and_fallback(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.xml").write_text(f"<configuration>{prop('b', '2')}</configuration>")
    xi = "xmlns:xi='http://www.w3.org/2001/XInclude'"
    fallback = f"<xi:fallback>{prop('c', '3')}</xi:fallback>"
    body = (
        f"{prop('a', '1')}<xi:include {xi} href='sub/b.xml'>{fallback}</xi:include>"
        f"<xi:include {xi} href='nope.xml'>{fallback}</xi:include>"
    )
    assert read(tmp_path, body).values == {"a": "1", "b": "2", "c": "3"}


def test_missing_include_and_circle(tmp_path: Path) -> None:
    xi = "xmlns:xi='http://www.w3.org/2001/XInclude'"
    with pytest.raises(ConfigError, match=r"nope\.xml: No such file"):
        read(tmp_path, f"<xi:include {xi} href='nope.xml'/>")
    with pytest.raises(ConfigError, match="circle"):
        read(tmp_path, f"<xi:include {xi} href='a.xml'/>")
    with pytest.raises(ConfigError, match="needs the name of a file"):
        read(tmp_path, f"<xi:include {xi} href='http://x/a.xml'/>")


def test_malformed_names_file_and_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"a\.xml: line 3, column \d+: not well-formed XML: mismatched tag"):
        read(tmp_path, "<property>\n</configuration>")


def test_other_root(tmp_path: Path) -> None:
    (tmp_path / "b.xml").write_text("<conf/>")
    with pytest.raises(ConfigError, match="root element is <conf>"):
        hadoop_xml.read(tmp_path / "b.xml")


def test_unreadable(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing\.xml: No such file"):
        hadoop_xml.read(tmp_path / "missing.xml")
    with pytest.raises(ConfigError, match="Is a directory"):
        hadoop_xml.read(tmp_path)


# XML 1.0 cannot hold control characters, and turns \r into \n
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), min_size=1)
NAME = TEXT.map(str.strip).filter(bool)


@settings(suppress_health_check=list(HealthCheck), max_examples=60, deadline=None)
@given(values=st.dictionaries(NAME, TEXT, max_size=5))
def test_round_trip(tmp_path: Path, values: dict[str, str]) -> None:
    hadoop_xml.write(tmp_path / "r.xml", values)
    assert hadoop_xml.read(tmp_path / "r.xml").values == values
