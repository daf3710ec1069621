"""Properties of the original that count here by their own rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.am.inputs.listing import list_inputs
from xlearning.am.inputs.plan import plan_inputs
from xlearning.am.launch import launch_spec, limits
from xlearning.client.api.job import Job
from xlearning.client.api.order import request_of
from xlearning.client.planning.dryrun import render
from xlearning.client.planning.plan import Plan, Setting, make_plan
from xlearning.client.scan import scan
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.yarn_resources import node_label
from xlearning.config import Config, load
from xlearning.errors import ApplicationNotFound, ConfigError, UsageError
from xlearning.fs import FileSystems, dealing
from xlearning.fs.base import FileStatus
from xlearning.job import WORKER, Member, Task


def report(app_id: str) -> ApplicationReport:
    raise ApplicationNotFound(app_id)


def planned(*words: str, **properties: str) -> tuple[Plan, Config]:
    line = scan([*words, "run"])
    pairs = [(name.replace("_", "."), text) for name, text in properties.items()]
    config = load(overrides=pairs, options=line.properties(), environ={})
    setting = Setting("me", 1.0, "file://", report)
    return make_plan(request_of(Job.of_line(line)), config, FileSystems("file://"), setting), config


def properties(**values: str) -> Config:
    return Config.from_properties({name.replace("_", "."): text for name, text in values.items()})


def test_every_worker_is_handed_the_whole_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for name in "ab":
        (tmp_path / "data" / name).write_text(name)
    words = ("--worker-num", "3", "--input", "data#d", "--input-strategy", "PLACEHOLDER")
    plan, config = planned(*words, hbox_placeholder_whole_enable="true")
    assert plan.workers == 3 and not plan.notes
    assert "every worker: 2 files, 2 B" in render(plan, config)
    listing = list_inputs(FileSystems("file://"), plan.job.inputs, allow_empty=False)
    shares = plan_inputs(plan.job, listing, config, FileSystems())
    lists = {shares.variables(Task(WORKER, index, 1))["INPUT_FILE_LIST"] for index in range(3)}
    assert len(lists) == 1 and lists.pop().count("file://") == 2
    assert shares.counts() == {(WORKER, index): 2 for index in range(3)}
    for whole, own in ((config, 0), (planned(*words)[1], 2)):
        spec = launch_spec(plan.job, whole, shares, Task(WORKER, 1, 1), {WORKER: (Member("h"),) * 3})
        assert spec.own_files == own
    assert planned(*words)[0].workers == 2


@pytest.mark.parametrize(
    ("sizes", "workers", "first", "expected"),
    [
        ("11111", 3, 0, ["03", "14", "2"]),
        ("11111", 3, 1, ["0", "24", "13"]),
        ("11111", 2, 2, ["01", "234"]),
        ("01011", 2, 2, ["0123", "4"]),
        ("00", 2, 1, ["01", ""]),
        ("11", 3, 5, ["01", "", ""]),
        ("11", 1, 1, ["01"]),
        ("", 2, 1, ["", ""]),
    ],
)
def test_worker_0_gets_the_first_files_alone(
    sizes: str, workers: int, first: int, expected: list[str]
) -> None:
    files = [FileStatus(str(i), int(size), False, 0.0, 0o644) for i, size in enumerate(sizes)]
    shares = dealing.deal(files, workers, dealing.Rule(first=first))
    assert ["".join(status.path for status in share) for share in shares] == expected


def test_the_rule_by_which_files_are_dealt() -> None:
    given = {"hbox_chief_worker_minimum_data": "true", "hbox_chief_worker_minimum_file_num": "3"}
    assert dealing.rule(properties()) == dealing.Rule(whole=False, first=0)
    assert dealing.rule(properties(**given)).first == 3
    assert not dealing.rule(properties(hbox_placeholder_whole_enable="true")).whole


def test_a_job_has_no_more_containers_than_the_site_allows() -> None:
    words = ("--app-type", "TENSORFLOW", "--worker-num", "3", "--ps-num", "2")
    with pytest.raises(UsageError) as caught:
        planned(*words, hbox_execute_node_limit="4")
    assert str(caught.value) == (
        "5 containers are more than a job may have: hbox.execute.node.limit=4 (--conf)\n"
        "  hint: ask for at most 4"
    )
    assert planned(*words, hbox_execute_node_limit="5")[0].workers == 3


def test_one_label_for_all_unless_a_role_has_its_own() -> None:
    config = properties(hbox_job_labelname="gpu", xlearning_ps_nodeLabelExpression="big")
    assert [node_label(role, config) for role in ("am", "worker", "ps")] == ["gpu", "gpu", "big"]


def test_the_old_name_of_the_agents_timeout() -> None:
    assert limits(properties()).silence == 10
    assert limits(properties(hbox_task_timeout="300000")).silence == 10
    assert limits(properties(xlearning_task_timeout="60000")).silence == 60
    with pytest.raises(ConfigError, match=r"must be less than xlearning\.task\.timeout"):
        properties(xlearning_task_timeout="500")


def test_what_is_missing_is_told_with_the_other_problems() -> None:
    with pytest.raises(UsageError) as caught:
        planned("--output-strategy", "STREAM", "--files", "no.py", hbox_host_blacklist="h")
    message = str(caught.value)
    assert message.startswith("3 problems:")
    assert "output strategy STREAM without an output" in message
    assert "hbox.host.blacklist=h (--conf): this version cannot keep containers off named hosts" in message
