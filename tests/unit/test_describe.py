"""`describe` and `open`: what is put together, what people read, which page there is."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from job_samples import APP, container, save, snapshot
from json_answers import conforming

from xlearning.client.console import PlainConsole
from xlearning.client.verbs import open as opening
from xlearning.client.verbs.describe import attempts, describe
from xlearning.client.verbs.describe_text import describe_lines
from xlearning.client.verbs.records import OpenAnswer, PlacesView
from xlearning.client.verbs.standing import BACK_END, HISTORY, MASTER, Standing
from xlearning.cluster.base import ApplicationReport, KnownContainer
from xlearning.config.confidential import HIDDEN, hide, is_secret
from xlearning.errors import ClusterError
from xlearning.history.store import public
from xlearning.job import (
    AppState,
    BoardView,
    ContainerState,
    InputView,
    JobSpec,
    LocalResource,
    OutputStrategy,
    ResourceKind,
    RoleSpec,
    SaveState,
    Snapshot,
)

NUMBER = APP.removeprefix("application_")
PLACES = PlacesView("hdfs://h/staging", "hdfs://h/history", "", "xl-submit logs X")
SPEC = JobSpec(
    *(
        APP,
        "n",
        "T",
        "me",
        ("python", "a b.py"),
        (RoleSpec("ps", 1, 2048, 2),),
        "hdfs://h/staging",
        "hdfs://h",
    ),
    env={"MODE": "fast", "AWS_SECRET_ACCESS_KEY": "s3cret"},
    properties={"xlearning.queue": "x", "xlearning.container.env.API_TOKEN": "s3cret"},
    resources=(LocalResource("env", "hdfs://h/env.zip", ResourceKind.ARCHIVE),),
    output_index=1,
)


def report(state: AppState = AppState.RUNNING, **more: Any) -> ApplicationReport:
    values = {"submitted": 100.0, "finished": 165.0 if state.final else None, "queue": "root.a", **more}
    return ApplicationReport(APP, "n", "me", state, **values)


def told(stands: Standing, spec: JobSpec | None = None, **more: Any) -> tuple[dict[str, Any], str]:
    values: dict[str, Any] = {"attempts": (), "yarn_page": "", "places": PLACES, "now": 130.0, **more}
    job = describe(stands, spec, **values)
    return conforming("describe", job), "\n".join(describe_lines(job, stands.where))


def running(**more: Any) -> Snapshot:
    values: dict[str, Any] = {
        "page_url": "http://page/",
        "board": BoardView(True, "http://board/"),
        "inputs": (InputView("d", ("hdfs://h/d",), 3, 2048),),
        "saves": (save(1, SaveState.SUCCEEDED, files=2, size=10),),
        "command": ("python", "a b.py"),
        **more,
    }
    return snapshot(container(0, ContainerState.RUNNING, started=120.0, progress=0.5), **values)


def test_everything_about_a_running_job() -> None:
    masters = [KnownContainer(f"container_e17_{NUMBER}_02_000001", "h2", "RUNNING", "", True)]
    data, text = told(
        Standing(report(attempt=2), "YARN", MASTER, running(), "yarn"),
        public(SPEC),
        attempts=attempts(APP, 2, masters),
        yarn_page="http://rm/cluster/app/x",
    )
    for line in (
        f"{APP} RUNNING for 30s",
        "  Command     python 'a b.py'",
        "  Queue       root.a",
        "  worker  2       1.0 GiB  1",
        "  ./d     3      2.0 KiB  hdfs://h/d",
        "Outputs (UPLOAD, from worker 1 alone)",
        "  env   archive  hdfs://h/env.zip",
        "  MODE = fast",
        f"  AWS_SECRET_ACCESS_KEY = {HIDDEN}",
        f"  xlearning.container.env.API_TOKEN = {HIDDEN}",
        "  worker:0  RUNNING  -     node0  -       50%       10s   c0",
        "  s1     SUCCEEDED  1 of 2  2      10 B  command  -       file:///out/r1",
        f"  1        -        -     container_{NUMBER}_01_000001",
        f"  2        RUNNING  h2    container_e17_{NUMBER}_02_000001",
        "  Page        http://page/",
        "  TensorBoard http://board/",
        "  YARN        http://rm/cluster/app/x",
        "  Staging     hdfs://h/staging",
    ):
        assert line in text.splitlines(), text
    assert "s3cret" not in text + str(data)
    assert (data["source"], data["backend"], data["output_index"]) == ("am", "yarn", 1)
    assert [one["attempt"] for one in data["attempts"]] == [1, 2]


def test_output_that_is_streamed_comes_from_no_folder() -> None:
    seen = replace(running(), output_strategy=OutputStrategy.STREAM)
    stands = Standing(report(), "YARN", MASTER, seen, "yarn")
    for spec in (None, replace(SPEC, output_strategy=OutputStrategy.STREAM)):
        data, text = told(stands, spec)
        assert data["output_strategy"] == "STREAM"
        assert "  standard output  file:///out" in text.splitlines()


def test_an_ended_job_has_no_page_and_no_staging() -> None:
    data, text = told(Standing(report(AppState.FAILED), "this machine", HISTORY, running()), SPEC)
    assert data["links"] == {"page": "", "board": "", "yarn": ""}
    assert "Links" not in text and "Staging" not in text and "Attempts" not in text
    assert "  Ended " in text and "hdfs://h/history" in text


def test_a_job_of_which_only_yarn_knows() -> None:
    known = (KnownContainer(f"container_{NUMBER}_01_000001", "h", "FAILED", "", True),)
    stands = Standing(
        report(AppState.FAILED, diagnostics="gone"), "YARN", BACK_END, None, "yarn", known, ("why",)
    )
    data, text = told(stands, None, notes=["and this"])
    assert (data["command"], data["containers"], data["board"]) == ([], [], None)
    assert "  Reason      gone" in text
    assert f"  AM    FAILED  h     container_{NUMBER}_01_000001" in text
    assert text.endswith("Note: why\nNote: and this")


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("xlearning.container.env.DB_PASSWORD", True),
        ("fs.s3a.secret.key", True),
        ("AWS_ACCESS_KEY_ID", True),
        ("HF_TOKEN", True),
        ("WANDB_API_KEY", True),
        ("javax.keystore", True),
        ("xlearning.worker.memory", False),
        ("MONKEY", False),
        ("xlearning.kerberos.keytab", False),
    ],
)
def test_which_values_are_secrets(name: str, secret: bool) -> None:
    assert is_secret(name) is secret
    assert hide({name: "v", f"{name}2": ""}) == {name: HIDDEN if secret else "v", f"{name}2": ""}


class Place:
    title, name = "YARN", "yarn"
    yarn = "http://rm/cluster/app/x"

    def page(self, app_id: str) -> str:  # noqa: ARG002
        return self.yarn


def found(state: AppState, **more: Any) -> Any:
    return type("F", (), {"report": report(state, **more), "place": Place(), "app_id": APP})()


def stands(monkeypatch: pytest.MonkeyPatch, seen: Snapshot | None) -> None:
    standing = Standing(report(), "YARN", MASTER, seen, "yarn", notes=("why",))
    monkeypatch.setattr(opening, "standing", lambda one: standing)  # noqa: ARG005


def test_the_page_and_the_board_of_a_running_job(monkeypatch: pytest.MonkeyPatch) -> None:
    one = found(AppState.RUNNING, tracking_url="http://rm/proxy/x")
    stands(monkeypatch, running())
    assert opening.address(one, board=False) == ("page", "http://page/")
    assert opening.address(one, board=True) == ("board", "http://board/")
    stands(monkeypatch, None)
    assert opening.address(one, board=False) == ("page", "http://rm/proxy/x")
    with pytest.raises(ClusterError, match=r"has no TensorBoard \(yet\): why"):
        opening.address(one, board=True)
    stands(monkeypatch, running(board=BoardView(True, note="it ended"), page_url=""))
    with pytest.raises(ClusterError, match="has no TensorBoard: it ended") as caught:
        opening.address(one, board=True)
    assert caught.value.hint is None, "nobody starts it again"
    with pytest.raises(ClusterError, match="has no page"):
        opening.address(found(AppState.RUNNING), board=False)
    stands(monkeypatch, running(board=BoardView(False)))
    with pytest.raises(ClusterError, match="has no TensorBoard") as caught:
        opening.address(one, board=True)
    assert "--board-enable" in str(caught.value.hint)


def test_an_address_that_no_browser_may_open_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stands(monkeypatch, running(page_url="file:///etc/passwd", board=BoardView(True, "javascript:x")))
    for board in (False, True):
        with pytest.raises(ClusterError, match="is not one that a browser may open"):
            opening.address(found(AppState.RUNNING), board=board)


def test_the_page_of_an_ended_job(monkeypatch: pytest.MonkeyPatch) -> None:
    one = found(AppState.KILLED)
    assert opening.address(one, board=False) == ("yarn", Place.yarn)
    with pytest.raises(ClusterError, match=r"has ended \(KILLED\), and its TensorBoard with it"):
        opening.address(one, board=True)
    monkeypatch.setattr(Place, "yarn", "")
    with pytest.raises(ClusterError, match="and its page with it"):
        opening.address(one, board=False)


def test_the_answer_of_open() -> None:
    assert conforming("open", OpenAnswer(APP, "page", "http://x", opened=False))["opened"] is False


@pytest.mark.parametrize(
    ("environ", "platform", "there"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "w"}, "linux", True),
        ({"BROWSER": "w3m"}, "linux", True),
        ({}, "darwin", True),
    ],
)
def test_whether_there_is_a_display(environ: dict[str, str], platform: str, there: bool) -> None:
    assert opening.has_display(environ, platform) is there


@pytest.mark.parametrize("url", ["-new-tab", "file:///etc/passwd", "javascript:x", "http:///x", ""])
def test_what_is_no_page_is_not_given_to_a_browser(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    monkeypatch.setattr(opening.webbrowser, "open", lambda one: bool(given.append(one)) or True)
    monkeypatch.setenv("BROWSER", "true")
    stream = io.StringIO()
    assert not opening.show(url, PlainConsole(stream))
    assert "no address of a page" in stream.getvalue()
    assert opening.show("https://h/x", PlainConsole(stream))
    assert given == ["https://h/x"]


def test_an_older_record_is_taken_for_what_it_is() -> None:
    seen = replace(running(), app_type="T")
    data, _ = told(Standing(report(AppState.KILLED), "YARN", HISTORY, seen, "yarn"))
    assert (data["app_type"], data["attempt"]) == ("T", 1)
