"""Application types of somebody else: from an installed distribution, or from a file of the job."""

from __future__ import annotations

import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from xlearning.client.cli import main
from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats import own
from xlearning.frameworks import framework, known
from xlearning.frameworks.base import Crew, Framework
from xlearning.frameworks.guarded import Guarded
from xlearning.frameworks.outside import find, source
from xlearning.job import Task

RING = textwrap.dedent(
    """
    from xlearning.frameworks.base import Framework, Rules, Setup

    class Ring(Framework):
        def rules(self, job, config):
            return Rules(gang=True, ports={"worker": 1})

        def setup(self, job, config, task, cluster):
            return Setup({"RING": ",".join(member.address for member in cluster["worker"])})
    """
)


def distribution(folder: Path, name: str, value: str) -> None:
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[xlearning.frameworks]\nring = {value}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "ringtype.py").write_text(RING)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(tmp_path))
    yield folder
    own.offer({})
    sys.modules.pop("ringtype", None)


def test_an_entry_point_names_a_type(site: Path) -> None:
    distribution(site, "ring", "ringtype:Ring")
    assert find("Ring") == find("RING") == "ringtype:Ring"
    assert source("ringtype") == RING
    made = framework("RING", "ringtype:Ring")
    assert isinstance(made, Guarded) and type(made.inner).__name__ == "Ring"
    assert find("SQUARE") == ""


def test_two_distributions_that_disagree(site: Path) -> None:
    distribution(site, "ring", "ringtype:Ring")
    distribution(site, "other", "othertype:Ring")
    with pytest.raises(UsageError, match=r"RING is offered more than once: .*\(other\), .*\(ring\)"):
        find("RING")


def test_a_job_with_one_is_planned_as_it_says(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    distribution(site, "ring", "ringtype:Ring")
    command = ["--local", "--dry-run", "--app-type", "ring", "--ps-num", "1", "true"]
    assert main(command) == 1
    assert "type RING has no parameter servers" in capsys.readouterr().err
    assert main(["--local", "--dry-run", "--app-type", "ring", "true"]) == 0
    assert "type RING" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class Ring: pass", "not derived from xlearning.frameworks.base.Framework"),
        ("", "no class Ring"),
        ("import nowhere_to_be_found", "nowhere_to_be_found"),
    ],
)
def test_what_is_no_type(text: str, words: str, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (site / "broken.py").write_text(text)
    command = ["--local", "--dry-run", "--files", "site/broken.py", "--app-type", "broken:Ring", "true"]
    assert main(command) == 1
    assert words in capsys.readouterr().err


_FAULTS = [
    ("roles", "raise KeyError('oops')", "KeyError: 'oops' (broken.py line 4, in roles)"),
    ("problems", "raise SystemExit(3)", "SystemExit: 3 (broken.py line 4, in problems)"),
    ("rules", "raise ValueError(1)", "ValueError: 1 (broken.py line 4, in rules)"),
    ("roles", "return ()", "roles(): it answers (), not one or more RoleSpec"),
    ("roles", "return [RoleSpec('worker', 0, 512, 1)]", "role worker with instances 0"),
    ("roles", "return [RoleSpec('a/b', 1, 512, 1)]", "'a/b' is no name of a role"),
    ("roles", "return [RoleSpec('worker', 1, 512, 1)] * 2", "a role is there twice: worker, worker"),
    ("rules", "return 5", "rules(): it answers 5, not Rules"),
    ("rules", "return Rules(ports={'worker': -3})", "-3 ports for role worker"),
    ("rules", "return Rules(service_roles=frozenset(['worker']))", "no role decides when the job is over"),
]


@pytest.mark.parametrize(("method", "body", "words"), _FAULTS)
def test_faults_of_a_type_are_told_before_anything_is_sent(
    method: str, body: str, words: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "from xlearning.frameworks.base import Framework, Rules; from xlearning.job import RoleSpec",
        "class Ring(Framework):",
        f"  def {method}(self, *_):",
        f"    {body}",
    )
    (site / "broken.py").write_text("\n".join(text))
    command = ["--local", "--dry-run", "--files", "site/broken.py", "--app-type", "broken:Ring", "true"]
    assert main(command) == 1
    said = capsys.readouterr().err
    assert "application type broken:Ring" in said and words in said


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("None", "it answers None, not Setup"),
        ("Setup({'A': 1})", "1 is no text"),
        ("Setup({}, {'x': 5})", "5 is no text"),
        ("Setup({}, {}, ('true', 3))", "3 is no text"),
        ("Setup({'A=B': ''})", "no program can have a variable A=B="),
        ("Setup({'A': 'x\\0y'})", "no program can have a variable A="),
        ("{}['a']", "KeyError: 'a' (broken.py line 4, in setup)"),
    ],
)
def test_faults_in_what_a_container_would_get(answer: str, words: str) -> None:
    text = ("from xlearning.frameworks.base import Framework, Setup", "class Ring(Framework):")
    own.offer({"broken": "\n".join([*text, "  def setup(self, *_):", f"    return {answer}"])})
    made: Any = framework("RING", "broken:Ring")
    with pytest.raises(UsageError) as caught:
        made.setup(None, Config.from_properties({}), None, None)
    assert words in str(caught.value)


SLOW = """
import threading
from xlearning.frameworks.base import Framework
GATE = threading.Event()
class Slow(Framework):
  def __init__(self): ...
  def notes(self, *_): raise TimeoutError("its own")
  def roles(self, *_): GATE.wait()
  def setup(self, *_): print("heard"); return super().setup(*_)
"""


@pytest.fixture
def slow() -> Iterator[str]:
    own.offer({"slow": SLOW})
    before = set(threading.enumerate())
    yield "slow:Slow"
    sys.modules["xlearning_own_slow"].GATE.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
    own.offer({})


def test_a_type_has_its_time_for_all_of_its_answers(slow: str, capsys: pytest.CaptureFixture[str]) -> None:
    made: Any = framework("SLOW", slow)
    late, soon = (Config.from_properties({"xlearning.app.type.timeout": time}) for time in ("1h", "1s"))
    with pytest.raises(UsageError, match=r"slow:Slow: TimeoutError: its own \(slow.py line 7, in notes\)"):
        made.notes(None, late)
    with pytest.raises(UsageError) as caught:
        made.roles(None, soon)
    words = "roles(): no answer within 1 s, the time for all its answers (xlearning.app.type.timeout)"
    assert f"application type slow:Slow: {words}; it is at slow.py line 8, in roles" in str(caught.value)
    with pytest.raises(UsageError, match=r"problems\(\): no answer within"):
        made.problems(None, soon)
    assert capsys.readouterr().out == ""


def test_what_a_type_prints_is_not_our_output(slow: str, capsys: pytest.CaptureFixture[str]) -> None:
    made: Any = framework("SLOW", slow)
    made.setup(None, Config.from_properties({}), Task("worker", 3, 1), {})
    assert tuple(capsys.readouterr()) == ("", "heard\n")


def test_loading_a_type_has_its_time(slow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xlearning.frameworks.outside._LOADING", 1.0)
    own.offer({"slow": SLOW.replace("...", "GATE.wait()")})
    with pytest.raises(UsageError) as caught:
        framework("SLOW", slow)
    words = "slow:Slow: it was not loaded within 1 s; it is at slow.py line 6, in __init__"
    assert words in str(caught.value)


def test_every_type_of_ours_can_be_made() -> None:
    for name in known():
        assert isinstance(framework(name), Framework)
    assert type(framework("anything")) is Framework
    assert not framework("anything").has_ps
    assert Crew(1, 0, False).workers == 1
