"""An application type of the user's own, as the example has it."""

from __future__ import annotations

import re
import shutil
import urllib.request
from pathlib import Path

import pytest
from submitting import Gateway

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ring_type"


# The ApplicationMaster alone asks for it: without --env the gateway need not know.
ENDLESS = """
from xlearning.frameworks.base import Framework, Rules

class Endless(Framework):
    def rules(self, job, config):
        return Rules(gang=True, ports={"worker": 1})

    def setup(self, job, config, task, cluster):
        while True:
            pass
"""


def test_a_type_that_an_installed_distribution_offers(gateway: Gateway, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "ring-1.dist-info").mkdir(parents=True)
    (site / "ring-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: ring\nVersion: 1\n")
    (site / "ring-1.dist-info" / "entry_points.txt").write_text(
        "[xlearning.frameworks]\nring = ring_type:Ring\n"
    )
    shutil.copy(EXAMPLE / "ring_type.py", site)
    gateway.environment["PYTHONPATH"] = str(site)
    ended = gateway.submit(
        *("--app-type", "ring", "--worker-num", 3, "--files", EXAMPLE / "sum.py", "--", "python3", "sum.py")
    )
    assert ended.code == 0, ended.err
    logs = gateway.verb("logs", ended.app_id)
    assert logs.out.count("sum 14") == 3, logs.out
    gateway.nothing_is_left()


def test_a_type_that_never_answers_fails_its_job_and_says_where_it_is(gateway: Gateway) -> None:
    (gateway.work / "endless.py").write_text(ENDLESS)
    ended = gateway.submit(
        *("--app-type", "endless:Endless", "--worker-num", 2, "--files", "endless.py"),
        *("--conf", "xlearning.app.type.timeout=2s", "true"),
    )
    assert ended.code == 2
    assert "application type endless:Endless: setup(): no answer within 2 s" in ended.err
    assert "(xlearning.app.type.timeout); it is at endless.py line 9, in setup" in ended.err
    gateway.nothing_is_left()


def test_page_and_kill_do_not_wait_for_a_type(gateway: Gateway) -> None:
    (gateway.work / "endless.py").write_text(ENDLESS)
    running = gateway.start(
        *("--app-type", "endless:Endless", "--worker-num", 1, "--files", "endless.py"),
        *("--conf", "xlearning.app.type.timeout=1h", "true"),
    )
    running.said("Page: ")
    page = re.search(r"Page: (\S+)", running.err)
    assert page is not None
    with urllib.request.urlopen(page[1], timeout=30) as answer:
        assert answer.status == 200
    app_id = next(line.split()[-1] for line in running.err.splitlines() if "Submitted" in line)
    assert gateway.verb("kill", app_id).code == 0
    ended = running.end(30)
    assert ended.code == 2
    assert "KILLED" in ended.err and "by force" not in ended.err
    gateway.nothing_is_left()


def test_what_the_type_refuses(gateway: Gateway) -> None:
    ended = gateway.submit(
        *(
            "--app-type",
            "ring_type:Ring",
            "--worker-num",
            2,
            "--files",
            EXAMPLE / "ring_type.py",
            "--",
            "true",
        )
    )
    assert ended.code == 1
    assert "2 workers make no ring" in ended.err


@pytest.mark.large  # the agents, which were told of no program, are given the time to end one
def test_a_type_that_fails_at_the_launch(gateway: Gateway) -> None:
    (gateway.work / "bad.py").write_text(
        "from xlearning.frameworks.base import Framework\n"
        "class Bad(Framework):\n"
        "    def setup(self, job, config, task, cluster): raise ValueError('no neighbour')\n"
    )
    ended = gateway.submit("--app-type", "bad:Bad", "--files", "bad.py", "--", "true")
    assert ended.code == 2
    assert "worker:0 cannot be launched: application type bad:Bad: ValueError: no neighbour" in ended.err
    assert "(bad.py line 3, in setup)" in ended.err
    gateway.nothing_is_left()
