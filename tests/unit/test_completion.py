"""What fits where on a command line; shells themselves are in tests/local/test_shells.py."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from xlearning.client.cli import VERBS
from xlearning.client.cli.option_text import remark
from xlearning.client.completion import known
from xlearning.client.completion.candidates import fitting
from xlearning.client.completion.shells import SHELLS, answer, script, words_of
from xlearning.client.options import OPTIONS
from xlearning.cluster.base import ApplicationReport
from xlearning.config.keys import KEYS
from xlearning.job import AppState, to_dict

IDS = ("application_1700000000222_0001", "application_1700000000111_0002")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with two local jobs, the newer one running, and no Hadoop."""
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME"):
        monkeypatch.delenv(name, raising=False)
    conf = tmp_path / "conf"
    conf.mkdir()
    value = f"<name>xlearning.local.dir</name><value>{tmp_path / 'local'}</value>"
    (conf / "xlearning-site.xml").write_text(f"<configuration><property>{value}</property></configuration>")
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(conf))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for app_id, state, when in zip(IDS, (AppState.RUNNING, AppState.FAILED), (2.0, 1.0), strict=True):
        folder = tmp_path / "local" / "apps" / app_id
        folder.mkdir(parents=True)
        report = ApplicationReport(app_id, "mnist", "me", state, submitted=when)
        (folder / "app.json").write_text(json.dumps(to_dict(report)))
    (tmp_path / "local" / "apps" / "application_1700000000333_0003").mkdir()
    return tmp_path


def values(line: str) -> list[str]:
    words, current = words_of(line)
    return [f"<{one.type}>" if one.type in ("file", "dir") else one.value for one in fitting(words, current)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("xl-submit st", ["status"]),
        ("xl-submit nothing", ["<file>"]),
        ("xl-submit --worker-nu", ["--worker-num"]),
        ("xl-submit --worker-nu x", ["<file>"]),
        ("/opt/bin/xl-submit submit --worker-nu", ["--worker-num"]),
        ("xl-submit -workerN", ["-workerNum"]),
        ("xl-submit --is-ren", ["--is-rename-input-file"]),
        ("xl-submit --input-strategy d", ["DOWNLOAD"]),
        ("xl-submit --input-strategy=d", ["--input-strategy=DOWNLOAD"]),
        ("xl-submit --tf-evaluator=", ["--tf-evaluator=true", "--tf-evaluator=false"]),
        ("xl-submit --tf-evaluator true --ps-n", ["--ps-num"]),
        ("xl-submit --app-type TEN", ["TENSORFLOW"]),
        ("xl-submit --worker-num ", []),
        ("xl-submit --files ", ["<file>"]),
        ("xl-submit --conf-file a", ["<file>"]),
        ("xl-submit --input ", []),
        ("xl-submit --local --input ", ["<file>"]),
        ("xl-submit --conf xlearning.input.strat", ["xlearning.input.strategy="]),
        ("xl-submit -c hbox.ps.nu", ["hbox.ps.num="]),
        ("xl-submit --conf xlearning.am.env.", ["xlearning.am.env."]),
        ("xl-submit --conf xlearning.input.strategy=P", ["xlearning.input.strategy=PLACEHOLDER"]),
        ("xl-submit --conf=xlearning.tf.evaluator=t", ["--conf=xlearning.tf.evaluator=true"]),
        ("xl-submit --conf xlearning.local.dir=", ["<file>"]),
        ("xl-submit --conf no.such.thing=", []),
        ("xl-submit python --worker-nu", ["<file>"]),
        ("xl-submit -- --worker-nu", ["<file>"]),
        ("xl-submit kill --no", ["--no-wait"]),
        ("xl-submit list --output ", ["text", "json"]),
        ("xl-submit list --output=j", ["--output=json"]),
        ("xl-submit list --state ru", ["RUNNING"]),
        ("xl-submit list --state KILLED,f", ["KILLED,FAILED"]),
        ("xl-submit logs --role w", ["worker"]),
        ("xl-submit status --conf xlearning.local.di", ["xlearning.local.dir="]),
        ("xl-submit status --conf-file ", ["<file>"]),
        ("xl-submit config --explain xlearning.worker.nu", ["xlearning.worker.num"]),
        ("xl-submit config --explain worker.nu", ["worker.num"]),
        ("xl-submit config --explain hbox.ps.nu", ["hbox.ps.num"]),
        ("xl-submit config -c xlearning.local.di", ["xlearning.local.dir="]),
        ("xl-submit doctor -c xlearning.local.di", ["xlearning.local.dir="]),
        ("xl-submit list --format j", ["json"]),
        ("xl-submit completion z", ["zsh"]),
        ("xl-submit status ", [*IDS, "last"]),
        ("xl-submit status l", ["last"]),
        ("xl-submit status application_1700000000111", [IDS[1]]),
        ("xl-submit status 0002", [IDS[1]]),
        ("xl-submit status 0009", []),
        ("xl-submit kill ", [IDS[0], "last"]),
        ("xl-submit 'unfinished wo", ["<file>"]),
    ],
)
def test_what_fits(line: str, found: list[str]) -> None:
    assert values(line) == found


def test_everything_that_is_in_the_tables_is_offered() -> None:
    assert values("xl-submit ") == sorted(VERBS - {"submit"})
    assert values("xl-submit --") == [one.flag for one in OPTIONS if not remark(one)]
    works = [key for key in KEYS if not (key.effect.missing or key.effect.ignored)]
    ours = [name for key in works for name in (key.name, *key.aliases) if name.startswith("xlearning.")]
    first = values("xl-submit --conf ")
    assert {f"{name}=" for name in ours} <= set(first)
    assert all(value.startswith("xlearning.") for value in first)
    assert all(f"{key.name}=" in values(f"xl-submit -c {key.name}") for key in works)
    for verb in VERBS - {"submit"}:
        assert "--help" in values(f"xl-submit {verb} --")


def test_jobs_are_remembered_for_seconds(home: Path) -> None:
    assert [one["id"] for one in known.jobs()] == list(IDS)
    (home / "local" / "apps" / IDS[0] / "app.json").unlink()
    assert len(known.jobs()) == 2
    (file,) = (home / "cache" / "xlearning" / "completion").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    old = time.time() - 60
    os.utime(file, (old, old))
    assert [one["id"] for one in known.jobs()] == [IDS[1]]
    file.write_text("[")
    assert [one["id"] for one in known.jobs()] == [IDS[1]]


def test_what_cannot_be_asked_is_passed_over(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HADOOP_CONF_DIR", str(home / "nowhere"))
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(home / "nowhere"))
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert values("xl-submit status ") == []
    assert values("xl-submit --queue ") == []


def test_queues_that_take_jobs() -> None:
    below = {"queue": [{"queueName": "a", "queuePath": "root.a"}, {"queueName": "b"}]}
    told = {
        "scheduler": {
            "schedulerInfo": {"queueName": "root", "queues": {"queue": {"queueName": "x", "queues": below}}}
        }
    }
    assert list(known.leaf_queues(told)) == ["root.a", "b"]
    fair = {
        "scheduler": {"schedulerInfo": {"rootQueue": {"childQueues": {"queue": [{"queueName": "root.f"}]}}}}
    }
    assert list(known.leaf_queues(fair)) == ["root.f"]
    assert list(known.leaf_queues({"scheduler": None})) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_is_answered(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "_XL_SUBMIT_COMPLETE" in script(shell)
    monkeypatch.setenv("XL_SUBMIT_WORD", "stat")
    asked: dict[str, Any] = {"_XL_SUBMIT_COMPLETE": f"{shell}_complete"}
    monkeypatch.setenv("XL_SUBMIT_LINE", "xl-submit stat")
    assert answer(asked) == 0
    assert "status" in capsys.readouterr().out
    monkeypatch.delenv("XL_SUBMIT_LINE")
    assert answer(asked) == 1
    assert capsys.readouterr() == ("", "")
    assert answer({"_XL_SUBMIT_COMPLETE": "tcsh_complete"}) == 1


def test_bash_takes_an_equals_sign_for_the_end_of_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XL_SUBMIT_LINE", "xl-submit --conf xlearning.input.strategy=D")
    monkeypatch.setenv("XL_SUBMIT_WORD", "D")
    shell = SHELLS["bash"](None, {}, "xl-submit", "X")  # type: ignore[arg-type]
    assert shell.complete() == "plain,DOWNLOAD"
    monkeypatch.setenv("XL_SUBMIT_LINE", "xl-submit --input-strategy=")
    monkeypatch.setenv("XL_SUBMIT_WORD", "")
    assert shell.complete().splitlines()[0] == "plain,DOWNLOAD"


def test_descriptions_cannot_break_the_answer() -> None:
    from click.shell_completion import CompletionItem

    item = CompletionItem("a:b", help="one\ntwo\tthree")
    nothing: Any = None
    said = {
        name: kind(nothing, {}, "xl-submit", "X").format_completion(item) for name, kind in SHELLS.items()
    }
    assert said["zsh"] == "plain\na\\:b\none two three"
    assert said["fish"] == "plain,a:b\tone two three"
    assert said["bash"] == "plain,a:b"
