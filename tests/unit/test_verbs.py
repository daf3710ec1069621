"""What the verbs show: pure rendering, choices of containers, last lines, Hadoop's form of logs."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from job_samples import APP, container, container_id, save, snapshot
from json_answers import conforming

from xlearning.client.answers import Bytes, table
from xlearning.client.console import open_console
from xlearning.client.verbs import kill
from xlearning.client.verbs.applications import Found, find_application
from xlearning.client.verbs.listing import Wish, job_list, known_jobs, list_lines, parse_states, recent, run
from xlearning.client.verbs.log_choice import LogTarget, choose, known_targets
from xlearning.client.verbs.log_output import LogPrinter, LogReader, last_lines, wanted_files
from xlearning.client.verbs.places import Places
from xlearning.client.verbs.records import status_of
from xlearning.client.verbs.standing import BACK_END, HISTORY, MASTER, Standing, closed, standing
from xlearning.client.verbs.status_text import status_lines
from xlearning.cluster.base import ApplicationReport, KnownContainer
from xlearning.cluster.log_parts import parts
from xlearning.cluster.resource_manager import tags, to_report
from xlearning.cluster.yarn_details import aggregation, containers
from xlearning.config import Config
from xlearning.errors import ClusterUnavailable, UsageError
from xlearning.fs import FileSystems
from xlearning.job import AppState, ContainerState, InputView, OutputStrategy, SaveState, Snapshot, to_dict

NUMBER = APP.removeprefix("application_")
AM, FIRST, SECOND = (f"container_{NUMBER}_01_{n:06d}" for n in (1, 2, 3))


def report(state: AppState = AppState.RUNNING, **more: object) -> ApplicationReport:
    ended = 165.0 if state.final else None
    values: dict[str, object] = {"submitted": 100.0, "finished": ended, "app_type": "T", **more}
    return ApplicationReport(APP, "n", "me", state, **values)  # type: ignore[arg-type]


def lines_of(found: ApplicationReport, seen: Snapshot | None, source: str = MASTER, **more: object) -> str:
    return "\n".join(status_lines(Standing(found, "YARN", source, seen, **more), 130.0))  # type: ignore[arg-type]


def test_status_of_a_running_job() -> None:
    running = container(
        0, ContainerState.RUNNING, started=120.0, memory_bytes=3 << 20, memory_limit_bytes=1 << 30
    )
    waiting = container(1, ContainerState.GRANTED, index=None, memory_limit_bytes=1 << 30)
    text = lines_of(
        report(AppState.SUBMITTED, tracking_url="http://rm/proxy/x/"),
        snapshot(
            *(running, waiting),
            phase="RUNNING",
            progress=0.5,
            page_url="http://page/",
            inputs=(InputView("d", ("hdfs://h/d",), 1, 2048),),
            saves=(save(1, SaveState.SUCCEEDED, files=2, size=10),),
        ),
    )
    first, *rest = text.splitlines()
    assert first == f"{APP} RUNNING for 30s"
    for line in (
        "  Type        T",
        "  On          YARN",
        "  Containers  worker: 1 running, 1 starting · 50%",
        "  Page        http://page/",
        "  Input d     hdfs://h/d (1 file, 2.0 KiB)",
        "  Output      file:///out <- ./m",
        "ROLE      STATE    EXIT  HOST   MEMORY              PROGRESS  TIME  CONTAINER",
        "worker:0  RUNNING  -     node0  3.0 MiB of 1.0 GiB  -         10s   c0",
        "worker    GRANTED  -     node1  of 1.0 GiB          -         -     c1",
        "s1     SUCCEEDED  1 of 2  2      10 B  command  -       file:///out/r1",
    ):
        assert line in rest, text


def test_output_that_is_streamed_comes_from_no_folder() -> None:
    text = lines_of(report(), snapshot(output_strategy=OutputStrategy.STREAM))
    assert "  Output      file:///out <- standard output" in text.splitlines()


def test_status_of_a_failed_job_says_why() -> None:
    used = {"memory_bytes": 5 << 20, "memory_limit_bytes": 2 << 30}
    bad = container(0, ContainerState.FAILED, exit_code=137, started=110.0, finished=160.0, **used)
    lost = container(1, ContainerState.LOST, reason="node gone\nsecond\nthird\nfourth")
    text = lines_of(
        report(AppState.FAILED, diagnostics="worker:0 failed\nand more"),
        snapshot(bad, lost, state=AppState.FAILED, page_url="http://page/"),
        HISTORY,
    )
    assert text.startswith(f"{APP} FAILED after 1m 05s\n")
    assert "  Reason      worker:0 failed\n              and more" in text
    assert "worker:0  FAILED  137   node0  of 2.0 GiB  -" in text, "what it may use; nothing uses it any more"
    assert "    exit code 137: killed (SIGKILL)" in text
    assert "    third" in text and "fourth" not in text
    assert "http://page/" not in text, "the page is gone"


def test_status_where_only_yarn_can_be_asked() -> None:
    known = (KnownContainer(AM, "h", "RUNNING", "http://h:1", True),)
    notes = ("its staging folder is private",)
    found = Standing(report(tracking_url="http://rm/p/"), "YARN", BACK_END, None, "yarn", known, notes)
    text = "\n".join(status_lines(found, 130.0))
    assert "  Page        http://rm/p/" in text
    assert f"AM    RUNNING  h     {AM}" in text
    assert text.endswith("Note: its staging folder is private")
    data = conforming("status", status_of(found, 130.0))
    assert (data["app_id"], data["state"], data["seconds"]) == (APP, "RUNNING", 30.0)
    assert (data["source"], data["backend"]) == ("backend", "yarn")
    assert (data["details"], data["backend_containers"][0]["id"], data["notes"]) == (None, AM, list(notes))


def test_json_has_the_details_of_the_page() -> None:
    seen = snapshot(container(0, ContainerState.RUNNING))
    data = conforming("status", status_of(Standing(report(), "this machine", MASTER, seen), 130.0))
    assert data["backend"] == "local"
    assert data["details"]["containers"][0]["id"] == "c0"


def test_what_yarn_does_not_tell_is_in_the_history(tmp_path: Path) -> None:
    conf, history = tmp_path / "conf", tmp_path / "history"
    conf.mkdir()
    names = {"yarn.resourcemanager.webapp.address": "127.0.0.1:1", "fs.defaultFS": "hdfs://127.0.0.1:1"}
    rows = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in names.items())
    (conf / "core-site.xml").write_text(f"<configuration>{rows}</configuration>")
    properties = {
        "xlearning.local.dir": str(tmp_path / "local"),
        "xlearning.history.log.dir": history.as_uri(),
        "xlearning.staging.dir": (tmp_path / "staging").as_uri(),
    }
    environ = {"HADOOP_CONF_DIR": str(conf)}
    places = Places(Config.from_properties(properties), "me", only_local=False, environ=environ)
    with pytest.raises(ClusterUnavailable, match="no ResourceManager answers"):
        find_application(APP, places)
    (history / APP).mkdir(parents=True)
    seen = snapshot(container(0, ContainerState.RUNNING, id=container_id(2)), state=AppState.RUNNING)
    (history / APP / "job.json").write_text(json.dumps(to_dict(seen)))
    stands = standing(find_application(APP, places))
    places.close()
    text = "\n".join(status_lines(stands, 130.0))
    assert text.startswith(f"{APP} RUNNING for ")
    assert "worker:0  RUNNING" in text
    assert "Note: no ResourceManager answers at http://127.0.0.1:1" in text
    assert "cannot be reached yet" in text and "does not answer now" in text


def test_a_stale_end_is_not_taken_for_life() -> None:
    well = container(1, ContainerState.SUCCEEDED, exit_code=0)
    stale = snapshot(container(0, ContainerState.RUNNING, started=1.0, memory_bytes=5), well)
    killed = report(AppState.KILLED)
    text = lines_of(killed, closed(stale, killed), HISTORY)
    assert text.startswith(f"{APP} KILLED after 1m 05s")
    assert "worker:0  STOPPED    -     node0  -       -         -     c0" in text
    assert "killed with the job; last seen RUNNING" in text
    assert "worker:1  SUCCEEDED  0" in text
    failed = closed(stale, report(AppState.FAILED, diagnostics="node gone"))
    assert (failed.state, failed.reason, failed.finished) == (AppState.FAILED, "node gone", 165.0)
    assert [one.state for one in failed.containers] == [ContainerState.LOST, ContainerState.SUCCEEDED]
    assert failed.containers[0].memory_bytes is None
    whole = replace(stale, state=AppState.SUCCEEDED)
    assert closed(whole, killed) is whole, "its ApplicationMaster saw the end"


def found(number: int, state: AppState) -> Found:
    app_id = f"application_1700000000000_{number:04d}"
    place = type("P", (), {"title": "YARN", "name": "yarn"})()
    return Found(ApplicationReport(app_id, "a\nb", "me", state, submitted=100.0 + number), place)


def test_list_keeps_what_runs_and_the_newest_of_the_rest() -> None:
    ended = [found(n, AppState.SUCCEEDED) for n in (9, 8, 7)]
    old = found(1, AppState.RUNNING)
    every = [*ended, old]
    assert recent(every, 2) == [ended[0], old]
    assert recent(every, 0) == [old]
    assert recent(every, 20) == every
    head, line, *_ = list_lines(every, 200.0)
    assert head.split() == ["ID", "NAME", "TYPE", "ON", "STATE", "SUBMITTED", "TIME"]
    assert line.split()[:6] == ["application_1700000000000_0009", "a", "b", "-", "YARN", "SUCCEEDED"]
    assert list_lines([old], 200.0)[1].endswith("1m 39s")


@pytest.mark.parametrize(
    ("words", "states"),
    [
        ((), ""),
        (("running, Failed",), "RUNNING FAILED"),
        (("killed", "running"), "KILLED RUNNING"),
        (("ACCEPTED",), "SUBMITTED"),
        (("finished",), "SUCCEEDED FAILED"),
        (("all",), "SUBMITTED RUNNING SUCCEEDED FAILED KILLED"),
    ],
)
def test_states_as_people_write_them(words: tuple[str, ...], states: str) -> None:
    assert [state.value for state in parse_states(words)] == states.split()


def test_words_that_are_no_state() -> None:
    with pytest.raises(UsageError, match="--state RUNING, DEAD: there is no such state"):
        parse_states(["runing,dead,failed"])


class Everywhere:
    """Two places; one may not answer."""

    def __init__(self, jobs: list[ApplicationReport], *, silent: tuple[str, ...] = ()) -> None:
        self._all = [
            self._place("local", "this machine", jobs, silent),
            self._place("yarn", "YARN", [], silent),
        ]
        self.local = self._all[0]

    def all(self) -> list[Any]:
        return self._all

    def _place(self, name: str, title: str, jobs: list[ApplicationReport], silent: tuple[str, ...]) -> Any:
        def told(self: object, user: str, *, everybody: bool = False) -> list[ApplicationReport]:  # noqa: ARG001
            if name in silent:
                raise ClusterUnavailable(f"{name} is away")
            return [one for one in jobs if everybody or one.user == user]

        return type("P", (), {"name": name, "title": title, "user": "me", "jobs": told})()


@pytest.mark.parametrize(
    ("silent", "code", "said"),
    [
        ((), 0, "There is no job of yours on this machine and on YARN"),
        (("yarn",), 1, "There is no job of yours on this machine; YARN could not be asked"),
        (("local", "yarn"), 1, "Whether there is a job of yours is not known: nobody could be asked"),
    ],
)
def test_an_empty_list_says_who_was_asked(
    silent: tuple[str, ...], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    places: Any = Everywhere([], silent=silent)
    assert run(places, open_console(), wish=Wish(), output="text") == code
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[-1].endswith(said)
    assert all(f"{name} is away" in told.err for name in silent)
    assert run(places, open_console(), wish=Wish(), output="json") == code
    data = conforming("list", json.loads(capsys.readouterr().out))
    assert [one["backend"] for one in data["unasked"]] == list(silent)


def test_jobs_of_others_and_in_some_states() -> None:
    mine, theirs = report(), replace(report(AppState.FAILED), app_id=f"{APP}1", user="you")
    places: Any = Everywhere([mine, theirs])

    def ids(wish: Wish) -> list[str]:
        return [one.app_id for one in known_jobs(places, wish).found]

    assert ids(Wish()) == [APP]
    assert ids(Wish(user="you")) == [f"{APP}1"]
    assert ids(Wish(all_users=True, states=[AppState.FAILED])) == [f"{APP}1"]
    known = known_jobs(places, Wish(all_users=True))
    assert list_lines(known.found, 200.0, users=True)[0].split()[1] == "USER"
    data = conforming("list", job_list(known, known.found[:1], 200.0))
    assert (len(data["jobs"]), data["more"]) == (1, 1)


def test_tables_are_as_wide_as_their_cells() -> None:
    assert table(("A", "B"), [("xxx", "y"), ("", "long one")]) == ["A    B", "xxx  y", "     long one"]


def test_the_type_travels_in_a_tag() -> None:
    assert tags("TENSORFLOW") == {"xlearning", "xlearning-type-tensorflow"}
    assert tags("é") == {"xlearning"}
    record = {"id": APP, "applicationTags": "b,xlearning-type-tensorflow,xlearning"}
    assert to_report(record).app_type == "TENSORFLOW"
    assert to_report({"id": APP}).app_type == ""


class Refusing:
    """A connection to an ApplicationMaster that is committing."""

    def kill(self, user: str, reason: str) -> str:  # noqa: ARG002
        return "the output is being committed; the job ends by itself"

    def close(self) -> None:
        pass


def test_a_job_that_is_committing_is_not_killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Place:
        title, user, fss = "YARN", "me", FileSystems("file://")

        def staging(self, app_id: str) -> str:
            return (tmp_path / app_id).as_uri()

    running = Found(report(), Place())  # type: ignore[arg-type]
    monkeypatch.setattr(kill, "find_application", lambda app_id, places: running)  # noqa: ARG005
    monkeypatch.setattr(kill, "connect", lambda found: Refusing())  # noqa: ARG005
    nowhere: Any = None
    words: dict[str, Any] = {"app_id": APP, "reason": "", "no_wait": False}
    code = kill.run(nowhere, open_console(), **words, output="text")
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert f"{APP} was not killed: the output is being committed" in said.err
    assert kill.run(nowhere, open_console(), **words, output="json") == 2
    data = conforming("kill", json.loads(capsys.readouterr().out))
    assert (data["killed"], data["state"]) == (False, "RUNNING")
    assert "is being committed" in data["reason"]


# ---- which containers -------------------------------------------------------------------------------


def targets() -> list[LogTarget]:
    seen = snapshot(
        container(0, ContainerState.RUNNING, log_url=f"http://h:8042/node/containerlogs/{FIRST}/me"),
        container(1, ContainerState.RUNNING, log_url="somewhere"),
        container(2, ContainerState.RUNNING, role="ps", index=0),
    )
    renamed = tuple(
        replace(one, id=name)
        for one, name in zip(seen.containers, (FIRST, SECOND, f"{SECOND[:-1]}4"), strict=True)
    )
    return known_targets(replace(seen, containers=renamed), (), [AM])


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        ({}, ["worker:0", "worker:1", "ps:0"]),
        ({"role": "worker"}, ["worker:0", "worker:1"]),
        ({"role": "worker", "index": 1}, ["worker:1"]),
        ({"role": "am"}, ["am"]),
        ({"container": "_000003"}, ["worker:1"]),
        ({"container": FIRST}, ["worker:0"]),
        ({"container": f"container_{NUMBER}_02_000009"}, [""]),
    ],
)
def test_containers_that_are_meant(words: dict[str, object], labels: list[str]) -> None:
    wish = {"role": None, "index": None, "container": None, **words}
    assert [one.label for one in choose(targets(), APP, **wish)] == labels  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"role": "worker", "index": 7}, "no container worker:7\n.*it has am, ps:0, worker:0, worker:1"),
        ({"role": "wroker"}, "no container wroker"),
        ({"container": "9"}, "no container 9\n.*it has container_"),
        ({"container": "container_1_0001_01_000002"}, "no container container_1_"),
        ({"container": "00000"}, "no container 00000"),
        ({"container": f"{NUMBER}_01_000002"}, ""),
        ({"container": ""}, "no container"),
    ],
)
def test_containers_that_are_not(words: dict[str, object], why: str) -> None:
    wish = {"role": None, "index": None, "container": None, **words}
    if not why:
        assert choose(targets(), APP, **wish)  # type: ignore[arg-type]
        return
    with pytest.raises(UsageError) as caught:
        choose(targets(), APP, **wish)  # type: ignore[arg-type]
    assert re.search(why, str(caught.value))


def test_ambiguous_and_unknown_containers() -> None:
    known = [LogTarget(f"container_{NUMBER}_0{n}_000002", "worker", 0, "worker:0") for n in (1, 2)]
    with pytest.raises(UsageError, match="the end of several ids"):
        choose(known, APP, role=None, index=None, container="000002")
    with pytest.raises(UsageError, match="no container of the job is known"):
        choose([], APP, role=None, index=None, container=None)
    strangers = known_targets(None, [KnownContainer(FIRST, "h", "RUNNING", "http://h:1", False)], [])
    assert [one.title for one in choose(strangers, APP, role=None, index=None, container=None)] == [FIRST]
    with pytest.raises(UsageError, match="roles are not known"):
        choose(strangers, APP, role="worker", index=None, container=None)
    with pytest.raises(UsageError, match=r"no container worker yet\n.*try again in a moment"):
        choose(strangers, APP, role="worker", index=None, container=None, ended=False)
    early = [LogTarget(FIRST, "worker", None, "worker")]
    assert choose(early, APP, role="worker", index=None, container=None, ended=False) == early
    with pytest.raises(UsageError, match=r"no container worker:0 yet\n.*roles and indices are given when"):
        choose(early, APP, role="worker", index=0, container=None, ended=False)


def test_the_node_of_a_container_is_told_by_its_log_page() -> None:
    assert {one.label: one.web for one in targets()} == {
        "am": "",
        "worker:0": "http://h:8042",
        "worker:1": "",
        "ps:0": "",
    }


# ---- YARN's answers ---------------------------------------------------------------------------------


class Web:
    def __init__(self, answers: Mapping[str, object]) -> None:
        self.answers = answers

    def get(self, path: str) -> object:
        for end, answer in self.answers.items():
            if path.endswith(end):
                return answer
        raise FileNotFoundError(path)


def test_containers_as_yarn_tells_them() -> None:
    attempt = {"id": 2, "containerId": AM, "nodeHttpAddress": "h:1", "appAttemptState": "RUNNING"}
    earlier = {"id": 1, "containerId": SECOND, "nodeHttpAddress": "", "appAttemptState": "FAILED"}
    one = {"containerId": FIRST, "nodeHttpAddress": "https://i:2", "containerState": "RUNNING"}
    listed = {"containerId": AM, "nodeHttpAddress": "http://h:1", "containerState": "RUNNING"}
    web = Web(
        {
            "appattempts": {"appAttempts": {"appAttempt": [attempt, earlier]}},
            "_000002/containers": {"container": [listed, one]},
            APP: {"app": {"logAggregationStatus": "RUNNING"}},
        }
    )
    assert containers(web, APP) == [  # type: ignore[arg-type]
        KnownContainer(AM, "h", "RUNNING", "http://h:1", True),
        KnownContainer(FIRST, "i", "RUNNING", "https://i:2", False),
        KnownContainer(SECOND, "", "FAILED", "", True),
    ]
    assert aggregation(web, APP) == "RUNNING"  # type: ignore[arg-type]


LIVE = b"""Container: c1 on h:1
LogAggregationType: LOCAL
====
LogType:stdout
LogLastModifiedTime:Sun Nov 29 22:26:30 +0000 2026
LogLength:%d
LogContents:
%sEnd of LogType:stdout.This log file belongs to a running container (c1) and so may not be complete.
***

"""
TRICKY = b"a\xff\nEnd of LogType:stdout\nContainer: c9 on x\nLogType:stdout\nLogLength:3\nLogContents:\n"


def test_logs_are_taken_byte_for_byte_whatever_is_in_them() -> None:
    text = LIVE % (len(TRICKY), TRICKY) + LIVE.replace(b"c1", b"c2").replace(b"stdout", b"x") % (0, b"\n")
    found = [(p.container_id, p.name, p.size, b"".join(p.chunks())) for p in parts(io.BytesIO(text))]
    assert found == [("c1", "stdout", len(TRICKY), TRICKY), ("c2", "x", 0, b"")]
    skipped = [p.name for p in parts(io.BytesIO(text))]
    assert skipped == ["stdout", "x"]


def test_the_last_bytes_of_a_log() -> None:
    part = next(parts(io.BytesIO(LIVE % (100, b"xyz\n")), 4))
    assert (part.size, part.sent, b"".join(part.chunks())) == (100, 4, b"xyz\n")
    cut = (LIVE % (100, b"xyz\n")).partition(b"End")[0]
    part = next(parts(io.BytesIO(cut)))
    assert b"".join(part.chunks()) == b"xyz\n"


# ---- output -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, 3, 1000])
@pytest.mark.parametrize(
    ("count", "expected"), [(0, b""), (1, b"d"), (2, b"c\nd"), (3, b"\nc\nd"), (9, b"a\n\nc\nd")]
)
def test_last_lines(step: int, count: int, expected: bytes) -> None:
    for end in (b"", b"\n"):
        text = b"a\n\nc\nd" + end
        chunks = (text[at : at + step] for at in range(0, len(text), step))
        shown = expected + end if count else b""
        assert last_lines(chunks, count, whole=True) == (shown, len(text))


def test_last_lines_that_begin_before_what_was_read() -> None:
    assert last_lines(iter([b"tail\nend\n"]), 2, whole=False)[0] is None
    assert last_lines(iter([b"tail\nend\n"]), 1, whole=False)[0] == b"end\n"
    many = b"".join(b"%06d\n" % n for n in range(700_000))
    pieces = (many[at : at + 65536] for at in range(0, len(many), 65536))
    assert last_lines(pieces, 2, whole=False) == (b"699998\n699999\n", len(many))


class Files:
    """Logs in memory: a source."""

    def __init__(self, **files: bytes) -> None:
        self.files = files

    def sizes(self, target: LogTarget) -> Mapping[str, int]:  # noqa: ARG002
        return {name: len(text) for name, text in self.files.items()}

    def read(self, target: LogTarget, name: str, start: int) -> Iterator[bytes]:  # noqa: ARG002
        yield self.files[name][start:]

    def close(self) -> None:
        pass


class Down(Files):
    """A node that does not answer."""

    def sizes(self, target: LogTarget) -> Mapping[str, int]:  # noqa: ARG002
        raise ClusterUnavailable("the node is down")


class Written(Bytes):
    def __init__(self) -> None:
        super().__init__()
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data


WORKER = LogTarget("c1", "worker", 0, "worker:0")


def test_each_file_has_its_heading_and_what_grows_is_shown_once() -> None:
    source, out = Files(stdout=b"1\n2\n3", stderr=b""), Written()
    printer, reader = LogPrinter(out), LogReader(source, tail=2)

    def show() -> None:
        for file, size in wanted_files(source, [WORKER], (), ("stdout", "stderr"))[0]:
            for data in reader.read(file, size):
                printer.write(file, data, several=True)

    show()
    show()
    assert out.data == b"==> worker:0 c1 stdout <==\n2\n3\n\n==> worker:0 c1 stderr <==\n"
    source.files["stderr"] = b"oops\n"
    show()
    assert out.data.endswith(b"stderr <==\noops\n")


def test_names_that_a_container_does_not_have() -> None:
    source = Files(**{"stdout": b"", "agent.log": b"x"})
    usual = ("stdout", "stderr")
    assert wanted_files(source, [WORKER], (), usual)[1] == []
    files, lacking = wanted_files(source, [WORKER], ("nope", "agent.log"), usual)
    assert [file.name for file, _ in files] == ["agent.log"]
    assert lacking == ["worker:0 c1 has no nope; it has agent.log, stdout"]
    assert wanted_files(Files(), [WORKER], (), usual) == ([], ["worker:0 c1 has no stdout or stderr (yet)"])
    assert wanted_files(Down(), [WORKER], (), usual) == ([], ["worker:0 c1: the node is down"])
    master = LogTarget("c0", "am", None, "am")
    both = Files(**{"application.driver.log": b"", "launch_container.sh": b""})
    assert [file.name for file, _ in wanted_files(both, [master], (), usual)[0]] == ["application.driver.log"]
