"""``xl-submit config``: what it tells, by which names, and what it never shows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_answers import conforming

from xlearning.client.cli import main
from xlearning.client.verbs.config import explain_lines, list_lines
from xlearning.client.verbs.property_answers import ConfigAnswer, explained, listed
from xlearning.config import KEYS, Config, hadoop_xml, load
from xlearning.config.confidential import is_secret
from xlearning.config.effects import Verdict, judge
from xlearning.errors import ConfigError, UsageError


def conf(folder: Path | None = None, **properties: str) -> Config:
    pairs = [(name.replace("_", "."), text) for name, text in properties.items()]
    return load(environ={}, overrides=pairs, conf_dir=folder)


def value(found: ConfigAnswer) -> str | None:
    (one,) = found.properties
    return one.value


def test_list_of_what_is_set_with_sources(tmp_path: Path) -> None:
    site = tmp_path / "hbox-site.xml"
    hadoop_xml.write(site, {"hbox.driver.memory": "2g", "base": "/b", "hbox.app.queue": "DEFAULT"})
    config = conf(tmp_path, xlearning_ps_num="3")
    lines = list_lines(listed(config, every=False))
    assert [line.split(maxsplit=2) for line in lines[:4]] == [
        ["NAME", "VALUE", "SOURCE"],
        ["base", "/b", f"site file {site}"],
        ["xlearning.am.memory", "2g", f"site file {site}, as hbox.driver.memory"],
        ["xlearning.ps.num", "3", "--conf"],
    ]
    newer = tmp_path / "xlearning-site.xml"
    assert lines[-2:] == [f"  {newer} (not there)", f"  {site}"]
    hadoop_xml.write(newer, {"base": "/c"})
    assert list_lines(listed(conf(tmp_path), every=False))[-2:] == [f"  {newer}", f"  {site} (not read)"]
    assert list_lines(listed(conf(), every=False))[0] == "Every property has its default."


def test_all_properties() -> None:
    answer = listed(conf(xlearning_container_env_A="1"), every=True)
    names = [one.name for one in answer.properties]
    assert names == sorted({*(key.name for key in KEYS), "xlearning.container.env.A"})
    assert any(line.split() == ["xlearning.app.queue", "-", "default"] for line in list_lines(answer))


def test_all_about_one() -> None:
    lines = explain_lines(explained(conf(hbox_driver_memory="1.5g"), "am.memory"))
    assert lines[:2] == ["xlearning.am.memory", "  Memory of the ApplicationMaster's container."]
    for line in (
        "  Value     1.5g (1.5 GiB)",
        "  Source    --conf, as hbox.driver.memory",
        "  Default   1024",
        "  Effect    a value counts",
        "  Option    --am-memory",
        "            hbox.driver.memory",
    ):
        assert line in lines
    text = "\n".join(explain_lines(explained(conf(), "hbox.host.blacklist")))
    assert "this version cannot keep containers off named hosts yet\n  Instead   choose nodes by" in text
    assert "  Value     not set\n  Source    default\n" in text
    text = "\n".join(explain_lines(explained(conf(), "xlearning.job.exec.timeout")))
    assert "  Value     0 (0s)\n" in text
    text = "\n".join(explain_lines(explained(conf(), "memory.overhead.fraction")))
    assert "  Effect    none, a value is a warning: there is no JVM" in text


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("xlearning.worker.num", "xlearning.worker.num"),
        ("hbox.worker.num", "xlearning.worker.num"),
        (" worker.num ", "xlearning.worker.num"),
        ("--worker-num", "xlearning.worker.num"),
        ("-workerNum", "xlearning.worker.num"),
        ("worker-memory", "xlearning.worker.memory"),
        ("workerMemory", "xlearning.worker.memory"),
        ("queue", "xlearning.app.queue"),
        ("driver.memory", "xlearning.am.memory"),
        ("mapred.min.split.size", "xlearning.input.split.minsize"),
        ("hbox.mpi.extra.ld.lirbary.path", "xlearning.mpi.extra.ld.library.path"),
        ("hbox.container.env.X", "xlearning.container.env.X"),
        ("dfs.replication", "dfs.replication"),
    ],
)
def test_names_by_which_one_is_found(name: str, own: str) -> None:
    (one,) = explained(conf(), name).properties
    assert one.name == own
    assert one.doc and one.accepted and one.effect in ("counts", "ignored")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("hbox.worker.nmu", "did you mean hbox.worker.num"),
        ("wroker.memory", "xlearning.worker.memory"),
        ("--local", "xl-submit config --all"),
        ("zzz", "xl-submit config --all"),
    ],
)
def test_a_name_that_there_is_not(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"there is no property {name}") as caught:
        explained(conf(), name)
    assert hint in str(caught.value.hint)


def test_secrets_are_hidden() -> None:
    config = conf(
        hbox_s3_key_secret="hush",
        xlearning_container_env_PASSWORD="hush",
        xlearning_container_env_COPY="x-${hbox.s3.key.secret}",
        xlearning_container_env_PLAIN="shown",
    )
    text = "\n".join(list_lines(listed(config, every=False)))
    assert "hush" not in text and "shown" in text and text.count("(hidden)") == 3
    for name in ("s3.key.secret", "xlearning.container.env.PASSWORD", "xlearning.container.env.COPY"):
        assert value(explained(config, name)) == "(hidden)"
    assert config.get("xlearning.s3.key.secret") == "hush"


@pytest.fixture
def xl_submit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(tmp_path))

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_the_command(tmp_path: Path, xl_submit: Callable[..., tuple[int, str, str]]) -> None:
    hadoop_xml.write(tmp_path / "xlearning-site.xml", {"hbox.worker.num": "2", "hbox.host.blacklist": "h"})
    code, out, err = xl_submit("config", "-c", "xlearning.wroker.num=3")
    assert code == 0
    assert "xlearning.worker.num" in out and "as hbox.worker.num" in out
    assert "did you mean xlearning.worker.num?" in err
    assert "cannot keep containers off named hosts yet, so no job can be submitted" in err
    assert err.count("did you mean") == 1
    code, out, err = xl_submit("config", "--explain", "--worker-num", "--output", "json", "-c", "hbox.x=1")
    answer = conforming("config", json.loads(out))
    assert (code, err, answer["properties"][0]["value"]) == (0, "", "2")
    assert answer["files"][-1] == {"path": str(tmp_path / "xlearning-site.xml"), "read": True, "there": True}


def test_the_command_tells_bad_values_and_warnings(xl_submit: Callable[..., tuple[int, str, str]]) -> None:
    words = ("-c", "hbox.worker.num=many", "-c", "hbox.ps.num=-1", "-c", "hbox.ps.nun=1")
    code, out, err = xl_submit("config", *words)
    assert code == 1
    rows = {line.split()[0]: line for line in out.splitlines() if line.startswith("xlearning.")}
    assert "BAD: accepted: a whole number" in rows["xlearning.worker.num"]
    assert "as hbox.ps.num BAD: accepted" in rows["xlearning.ps.num"]
    assert "WARN  unknown property hbox.ps.nun (--conf); did you mean hbox.ps.num?" in err
    for part in ("2 bad properties", "hbox.worker.num=many (--conf)", "hbox.ps.num=-1 (--conf)"):
        assert part in err
    code, out, err = xl_submit("--local", *words[2:], "true")
    assert (code, out) == (1, "")
    assert "unknown property hbox.ps.nun" in err and "hbox.ps.num=-1" in err


def test_one_bad_value_hides_no_other(tmp_path: Path, xl_submit: Callable[..., tuple[int, str, str]]) -> None:
    good = {"xlearning.app.queue": "q", "xlearning.docker.image": "i"}
    bad = {
        **{"xlearning.worker.memory": "much"},
        **{"xlearning.reserve.port.begin": "9000", "xlearning.reserve.port.end": "8000"},
    }
    hadoop_xml.write(tmp_path / "xlearning-site.xml", {**good, **bad})
    code, out, err = xl_submit("config", "--output", "json")
    found = {one["name"]: one for one in conforming("config", json.loads(out))["properties"]}
    assert (code, {name: one["value"] for name, one in found.items() if one["bad"]}) == (1, bad)
    assert good.items() <= {name: one["value"] for name, one in found.items() if not one["bad"]}.items()
    assert "2 bad properties" in err and str(tmp_path / "xlearning-site.xml") in err
    code, out, err = xl_submit("config", "--explain", "worker.memory")
    assert (code, "  Value     much\n  Bad       accepted: megabytes" in out) == (1, True)
    assert "Bad" not in xl_submit("config", "--explain", "app.queue")[1]


def test_the_command_loads_little() -> None:
    program = (
        "import sys; from xlearning.client.cli import main; main(['config', '--all'])\n"
        "heavy = 'grpc google skein hdfs_native rich cryptography psutil flask pyarrow'\n"
        "sys.exit(','.join(sorted(set(heavy.split()) & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_help_of_the_command(xl_submit: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = xl_submit("config", "--help")
    assert (code, err) == (0, "")
    for part in ("Usage: xl-submit config [OPTIONS]", "--explain KEY", "--all", "Exit codes: 0 "):
        assert part in out
    assert "xl-submit config " in xl_submit("--help")[1]


NAMES = [name for key in KEYS for name in (key.name, *key.aliases)]
TEXTS = st.sampled_from(["", " ", "0", "-1", "7", "true", "FALSE", "1.5g", "2d", "docker", "${user.home}"])


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), TEXTS | st.text(max_size=9), max_size=5))
def test_whatever_is_set_can_be_told(properties: dict[str, str]) -> None:
    try:
        config = load(environ={}, overrides=list(properties.items()))
    except ConfigError as error:
        assert any(name in str(error) for name in properties)
        return
    assert isinstance(judge(config), Verdict)
    shown = list_lines(listed(config, every=True))
    for name, text in properties.items():
        (one,) = explained(config, name).properties
        assert any(line.startswith(one.name + " ") for line in shown)
        assert one.value == text or is_secret(name) or one.value == config.text(name)
