"""Which value wins, where it comes from, and how bad ones are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xlearning.config import Config, files, find_conf_dir, hadoop_xml, load
from xlearning.errors import ConfigError

NUM, MEMORY = "xlearning.worker.num", "xlearning.worker.memory"


def site(folder: Path, values: dict[str, str], name: str = "xlearning-site.xml") -> Path:
    hadoop_xml.write(folder / name, values)
    return folder / name


def conf(*pairs: str, **more: Any) -> Config:
    more.setdefault("environ", {})
    return load(overrides=[tuple(pair.split("=", 1)) for pair in pairs], **more)  # type: ignore[misc]


LAYERS = ("site", "file", "conf", "option")


@settings(suppress_health_check=list(HealthCheck), max_examples=40, deadline=None)
@given(given_in=st.sets(st.sampled_from(LAYERS)), hbox=st.sets(st.sampled_from(LAYERS)))
def test_precedence(tmp_path: Path, given_in: set[str], hbox: set[str]) -> None:
    def layer(name: str) -> dict[str, str]:
        spelling = "hbox.worker.num" if name in hbox else NUM
        return {spelling: str(2 + LAYERS.index(name))} if name in given_in else {}

    site_file = site(tmp_path, layer("site"))
    extra_file = site(tmp_path, layer("file"), "extra.xml")
    config = load(
        environ={},
        conf_dir=tmp_path,
        conf_files=[extra_file],
        overrides=list(layer("conf").items()),
        options={name: (text, "--workerNum") for name, text in layer("option").items()},
    )
    top = max((LAYERS.index(name) for name in given_in), default=-1)
    sources = ("default", f"site file {site_file}", f"--conf-file {extra_file}", "--conf", "--workerNum")
    assert config.get(NUM) == top + 2
    assert config.source(NUM) == config.source("hbox.worker.num") == sources[top + 1]
    assert config.explicit() == ({NUM: str(top + 2)} if given_in else {})
    assert config.is_set(NUM) == bool(given_in)
    assert config.warnings == ()


@settings(suppress_health_check=list(HealthCheck), max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["A", "b.c", "Ü", "x y"]).map("xlearning.container.env.".__add__)
        | st.sampled_from(["xlearning.app.name.x", "fs.defaultFS", "xlearning.python"]),
        st.text(st.characters(exclude_categories=["Cs"])),
    )
)
def test_properties_travel_unchanged(given_properties: dict[str, str]) -> None:
    config = Config.from_properties(given_properties)
    assert config.explicit() == dict(sorted(given_properties.items()))
    assert Config.from_properties(config.explicit()).explicit() == config.explicit()


def test_equals_sign_and_spaces_of_a_value_are_kept() -> None:
    config = conf("xlearning.container.env.OPTS=-Da=b -Dc= d ")
    assert config.family("xlearning.container.env") == {"OPTS": "-Da=b -Dc= d "}
    assert config.family("hbox.container.env.") == {"OPTS": "-Da=b -Dc= d "}
    assert config.family("xlearning.am.env.") == {}


def test_last_conf_wins() -> None:
    assert conf(f"{NUM}=2", f"{NUM}=3").get(NUM) == 3


def test_both_spellings_in_one_layer() -> None:
    assert conf(f"{NUM}=2", "hbox.worker.num=2").get(NUM) == 2
    with pytest.raises(ConfigError, match=r"xlearning.worker.num=2 and hbox.worker.num=3 \(--conf\)"):
        conf(f"{NUM}=2", "hbox.worker.num=3")


def test_all_bad_values_are_told_at_once(tmp_path: Path) -> None:
    file = site(tmp_path, {MEMORY: "lots", NUM: "x"})
    with pytest.raises(ConfigError) as caught:
        conf(
            "hbox.cleanup.enable=treu",
            "xlearning.input.strategy=STREEM",
            "xlearning.agent.timeout=0",
            "xlearning.container.maxFailures.rate=1.5",
            "xlearning.staging.dir=${hbox.staging.dir}",
            conf_dir=tmp_path,
            options={NUM: ("0", "--worker-num")},
        )
    message = str(caught.value)
    assert message.startswith("7 bad properties:")
    for part in (
        f"{MEMORY}=lots (site file {file}): accepted: megabytes",
        "--worker-num 0: accepted: a whole number; from 1 to 10000",
        "hbox.cleanup.enable=treu (--conf): accepted: true or false",
        "xlearning.input.strategy=STREEM (--conf): accepted: DOWNLOAD, PLACEHOLDER",
        "at least 100ms",
        "from 0 to 1",
        "circle",
    ):
        assert part in message


def test_a_bad_value_that_is_overridden_does_no_harm(tmp_path: Path) -> None:
    site(tmp_path, {NUM: "x"})
    assert conf(f"{NUM}=2", conf_dir=tmp_path).get(NUM) == 2


def test_contradiction() -> None:
    with pytest.raises(ConfigError, match=r"port.begin \(31000\) must be less than .*port.end \(30000\)"):
        conf("xlearning.reserve.port.begin=31000")


def test_unknown_names_are_told_and_kept() -> None:
    config = conf("xlearning.worker.memroy=1", "hbox.zzzz=2", "yarn.x=3")
    assert config.warnings == (
        f"unknown property xlearning.worker.memroy (--conf); did you mean {MEMORY}?",
        "unknown property hbox.zzzz (--conf)",
    )
    assert config.explicit() == {"xlearning.worker.memroy": "1", "xlearning.zzzz": "2", "yarn.x": "3"}
    assert config.text("yarn.x") == "3" and config.text("yarn.y") is None
    with pytest.raises(KeyError, match=r"yarn\.x"):
        config.get("yarn.x")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("worker.num", NUM),
        ("worker-memory", MEMORY),
        ("env.FOO_x-y", "xlearning.container.env.FOO_x-y"),
        ("container.env.FOO", "xlearning.container.env.FOO"),
        ("env.maxlength", "xlearning.env.maxlength"),
        ("fs.retry.time", "xlearning.fs.retry.time"),
        ("tf.input.ps.enable", "xlearning.tf.input.ps.enable"),
        ("outputformat.codec", "xlearning.outputformat.codec"),
    ],
)
def test_a_name_without_our_prefix_is_told(name: str, meant: str) -> None:
    config = conf(f"{name}=1")
    assert config.warnings == (f"{name} (--conf) is no property of XLearning; did you mean {meant}?",)
    assert config.explicit() == {name: "1"}


@pytest.mark.parametrize(
    "name",
    ["fs.defaultFS", "mapred.min.split.size", "my.own", "my.worker.num", "worker", "yarn.x", "env."],
)
def test_other_names_may_be_the_users_own(name: str) -> None:
    assert conf(f"{name}=1").warnings == ()


def test_final_stops_files_only(tmp_path: Path) -> None:
    text = "<property><name>{}</name><value>{}</value><final>true</final></property>"
    body = text.format("hbox.worker.num", 2) + text.format(MEMORY, "2g")
    (tmp_path / "xlearning-site.xml").write_text(f"<configuration>{body}</configuration>")
    extra = site(tmp_path, {NUM: "5", MEMORY: "2g"}, "extra.xml")
    config = load(environ={}, conf_dir=tmp_path, conf_files=[extra])
    assert config.get(NUM) == 2
    assert len(config.warnings) == 1 and "final in site file" in config.warnings[0]
    assert conf(f"{NUM}=7", conf_dir=tmp_path).get(NUM) == 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${env.A}", "va"),
        ("x${env.A}y${env.A}", "xvayva"),
        ("${env.NO}", "${env.NO}"),
        ("${env.NO-d}", "d"),
        ("${env.EMPTY-d}", ""),
        ("${env.EMPTY:-d}", "d"),
        ("${env.A:-d}", "va"),
        ("${env.NO:-${env.A}}", "va"),
        ("${unknown.name}/${env.A}", "${unknown.name}/va"),
        ("${hbox.tf.board.path}", "tensorboard"),
        ("${xlearning.container.env.B}", "b-va"),
        ("$A ${} ${a b} {x}", "$A ${} ${a b} {x}"),
        ("${java.io.tmpdir}", "/t"),
    ],
)
def test_expansion(text: str, expected: str) -> None:
    environ = {"A": "va", "EMPTY": "", "TMPDIR": "/t"}
    config = conf(
        "xlearning.container.env.B=b-${env.A}", f"xlearning.container.env.X={text}", environ=environ
    )
    assert config.text("xlearning.container.env.X") == expected


def test_expansion_happens_over_the_merged_set(tmp_path: Path) -> None:
    site(tmp_path, {"xlearning.staging.dir": "${base}/staging", "base": "/a"})
    assert conf("base=/b", conf_dir=tmp_path).get("xlearning.staging.dir") == "/b/staging"


def test_expansion_is_bounded() -> None:
    chain = [f"k{i}=${{k{i + 1}}}" for i in range(30)]
    with pytest.raises(ConfigError, match="too deep"):
        conf(*chain, "k30=x")
    bomb = [f"k{i}=" + f"${{k{i + 1}}}" * 10 for i in range(9)]
    with pytest.raises(ConfigError, match="too deep or too many"):
        conf(*bomb, "k9=x")


def test_values_are_not_expanded_twice() -> None:
    assert Config.from_properties({"a": "${b}", "b": "1"}).text("a") == "${b}"


def test_typed_values_trim_and_paths_know_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/users/somebody")
    config = conf(
        f"{NUM}= 4 ", "xlearning.input.strategy= placeholder", "xlearning.staging.dir=hdfs://n:1/a//b"
    )
    assert config.get(NUM) == 4
    assert config.get("xlearning.input.strategy") == "PLACEHOLDER"
    assert config.get("xlearning.staging.dir") == "hdfs://n:1/a//b"
    assert config.get("xlearning.local.dir") == "/users/somebody/.xlearning"


def test_find_conf_dir(tmp_path: Path) -> None:
    assert find_conf_dir({"XLEARNING_CONF_DIR": str(tmp_path)}) == tmp_path
    with pytest.raises(ConfigError, match=r"XLEARNING_CONF_DIR=.*nope is not a folder"):
        find_conf_dir({"XLEARNING_CONF_DIR": str(tmp_path / "nope")})


def test_where_the_site_file_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    etc, package = tmp_path / "etc", tmp_path / "package"
    for folder in (etc, package):
        folder.mkdir()
    monkeypatch.setattr(files, "_SYSTEM_CONF_DIR", etc)
    monkeypatch.setattr(files, "packaged_dir", lambda: package)
    (package / "xlearning-default.xml").write_text("<configuration/>")
    assert find_conf_dir({}) is None
    assert [(one.path, one.read) for one in load(environ={}).files[1:]] == [
        (etc / "xlearning-site.xml", False)
    ]
    site(package, {NUM: "2"})
    assert find_conf_dir({}) == package
    site(etc, {NUM: "3"}, "hbox-site.xml")
    assert find_conf_dir({}) == etc
    assert load(environ={}, conf_dir=etc).get(NUM) == 3
    assert find_conf_dir({"HBOX_CONF_DIR": str(package)}) == package
    assert find_conf_dir({"HBOX_CONF_DIR": str(package), "XLEARNING_CONF_DIR": str(tmp_path)}) == tmp_path
    with pytest.raises(ConfigError, match=r"HBOX_CONF_DIR=.*nope is not a folder"):
        find_conf_dir({"HBOX_CONF_DIR": str(tmp_path / "nope")})


def test_of_two_site_files_one_is_read(tmp_path: Path) -> None:
    hbox = site(tmp_path, {"hbox.worker.num": "3"}, "hbox-site.xml")
    own = site(tmp_path, {NUM: "2"})
    config = load(environ={}, conf_dir=tmp_path)
    assert config.get(NUM) == 2
    assert config.warnings == (f"{hbox} is not read: {own} is read in its place",)
    assert [one.path for one in config.files if one.read][1:] == [own]


def test_the_packaged_file_may_change_a_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "packaged_dir", lambda: tmp_path)
    packaged = site(tmp_path, {NUM: "2", "xlearning.ps.num": "0"}, "xlearning-default.xml")
    config = load(environ={})
    assert config.explicit() == {NUM: "2"}
    assert config.source(NUM) == f"packaged file {packaged}"


def test_files_as_java_writes_them(tmp_path: Path) -> None:
    file, more, xml = tmp_path / "a.properties", tmp_path / "b.properties", tmp_path / "c.xml"
    file.write_text(
        "# a comment\nxlearning.worker.num = 3\nxlearning.ps.num: 2\n"
        "xlearning.container.env.TEXT=one \\\n   line \\u00e9 a=b\nhbox.worker.memory 2g\n",
        encoding="utf-8",
    )
    more.write_text("xlearning.ps.num=4\nxlearning.wroker.num=1\n")
    hadoop_xml.write(xml, {"xlearning.worker.num": "9", "xlearning.worker.cores": "7"})
    config = load(
        environ={}, conf_files=[xml], properties_files=[file, more], overrides=[("xlearning.worker.num", "5")]
    )
    names = ("worker.num", "ps.num", "worker.memory", "worker.cores")
    assert [config.get(f"xlearning.{name}") for name in names] == [5, 4, 2048, 7]
    assert config.family("xlearning.container.env.") == {"TEXT": "one line é a=b"}
    assert config.source("xlearning.ps.num") == f"--properties-file {more}"
    assert "xlearning.worker.num?" in config.warnings[0]


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"a=\\u00", "no file of properties"), (b"a=\xff", "no file of properties"), (None, "cannot be read")],
)
def test_bad_files_of_properties(tmp_path: Path, data: bytes | None, reason: str) -> None:
    path = tmp_path / "a.properties"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ConfigError, match=f"a.properties.*{reason}"):
        load(environ={}, properties_files=[path])


def test_bad_values_name_the_option_as_it_was_written() -> None:
    options = {
        "xlearning.worker.num": ("many", "-workerNum"),
        "xlearning.input.strategy": ("placehoder", "--x"),
    }
    with pytest.raises(ConfigError) as caught:
        load(environ={}, options=options)
    assert "-workerNum many" in str(caught.value)
    assert "did you mean PLACEHOLDER?" in str(caught.value)


def test_all_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    site(tmp_path, {"xlearning.worker.nmu": "1", NUM: "x"})
    bad, none = tmp_path / "bad.xml", tmp_path / "none.xml"
    bad.write_text("<configuration>")
    with pytest.raises(ConfigError) as caught:
        load(environ={}, conf_dir=tmp_path, conf_files=[bad, none])
    first, second = str(caught.value).splitlines()
    assert f"{bad}: line 1" in first and f"{none}: No such file" in second
    assert "xlearning.worker.num" in caught.value.warnings[0]
