"""The HTML pages without a browser: content, escaping, addresses and headers."""

import dataclasses
import re
from html.parser import HTMLParser

import pytest
import webui_samples as samples
from flask.testing import FlaskClient

from xlearning.cluster.base import LogChunk
from xlearning.errors import XLearningError
from xlearning.job import (
    BoardView,
    InputView,
    OutputSpec,
    OutputStrategy,
    RoleSpec,
    SaveState,
    Snapshot,
)
from xlearning.webui.app import create_app
from xlearning.webui.assets import FOLDER
from xlearning.webui.pages import TAIL

BASE = "/s3cret"
NONCE = "n0nce"
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{6173*2}}"
WORKER0 = samples.container_id(3)


class Page(HTMLParser):
    """Tags, attributes and visible text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def links(self) -> list[str]:
        return [v for _, attrs in self.tags for k, v in attrs.items() if k in ("href", "src") and v]


def hostile_job() -> Snapshot:
    worker = samples.container(
        3, host=HOSTILE, reason=HOSTILE, log_url="javascript:alert(3)", last_lines=(HOSTILE,), role=HOSTILE
    )
    return samples.job(
        app_name=HOSTILE,
        user=HOSTILE,
        phase=HOSTILE,
        reason=HOSTILE,
        command=("python", HOSTILE),
        roles=(RoleSpec(HOSTILE, 1, 1, 1),),
        containers=(worker, dataclasses.replace(worker, id=HOSTILE, state=type(worker.state).FAILED)),
        inputs=(InputView(HOSTILE, (HOSTILE,), 1, 1),),
        outputs=(OutputSpec(HOSTILE, HOSTILE),),
        saves=(samples.save(1, id=HOSTILE, paths=(HOSTILE,), failures=(HOSTILE,)),),
        save_note=HOSTILE,
        board=BoardView(True, "javascript:alert(4)", HOSTILE, HOSTILE),
    )


def test_output_that_is_streamed_comes_from_no_folder(
    client: FlaskClient, source: samples.SampleSource
) -> None:
    assert "standard output" not in client.get(f"{BASE}/").text
    source.set(samples.job(output_strategy=OutputStrategy.STREAM))
    assert '<th scope="row">standard output</th>' in client.get(f"{BASE}/").text


def test_job_page_holds_everything_without_scripts(client: FlaskClient) -> None:
    page = Page(client.get(f"{BASE}/").text)
    for text in (
        f"Tensorflow Application {samples.APP}",
        "RUNNING",
        "alice",
        "mnist-ps",
        "python train.py",
        "All Containers",
        WORKER0,
        "worker:0",
        "chief",
        "node03.example.org",
        "412 MiB of 1.0 GiB",
        "93 %",
        "25 %",
        "Inputs",
        "hdfs://nn:9000/data/mnist/part-*",
        "9.0 MiB",
        "Outputs",
        "hdfs://nn:9000/user/alice/model",
        "View TensorBoard",
        "Resource Applied Info",
        "2 RUNNING",
        "2024-11-29 17:06:52 UTC",
    ):
        assert text in page.text, text
    assert "http://node03.example.org:6006/" in page.links()
    assert f"logs?c={WORKER0}&f=stdout" in page.links()
    assert any(tag == "time" and a.get("datetime") == "2024-11-29T17:06:52Z" for tag, a in page.tags)


def test_failed_job_pins_the_failing_container(client: FlaskClient, source: samples.SampleSource) -> None:
    source.set(samples.failed_job())
    html = client.get(f"{BASE}/").text
    assert html.index("ValueError: cannot reshape") < html.index("All Containers")
    assert "exit code 3" in html
    assert 'http-equiv="refresh"' not in html


def test_saves_are_listed_with_what_is_missing(client: FlaskClient, source: samples.SampleSource) -> None:
    page = Page(client.get(f"{BASE}/").text)
    assert "Save Model" in page.text and "Nothing has been saved yet." in page.text
    source.set(samples.job(saves=(samples.save(3, SaveState.RUNNING), samples.save(2, SaveState.PARTIAL))))
    text = Page(client.get(f"{BASE}/").text).text
    words = ("saving the model ... 1/2", "2024_11_29_18_00_02", "interResult_2024", "6.0 MiB", "disk full")
    assert not [word for word in words if word not in text]
    source.set(samples.job(save_note="the job has no --output"))
    assert "the job has no --output" in Page(client.get(f"{BASE}/").text).text


def test_empty_job_says_what_it_waits_for(client: FlaskClient, source: samples.SampleSource) -> None:
    source.set(samples.job(containers=(), inputs=(), outputs=(), board=BoardView(False)))
    page = Page(client.get(f"{BASE}/").text)
    for text in ("waiting for containers: 0 of 3", "No container yet", "no inputs", "no outputs", "is off"):
        assert text in page.text


@pytest.mark.parametrize("path", ["/", f"/logs?c={WORKER0}", "/logs?c=nobody", "/logs"])
def test_addresses_are_relative_and_nothing_comes_from_outside(
    client: FlaskClient, source: samples.SampleSource, path: str
) -> None:
    source.write(3, "stdout", b"hello\n")
    html = client.get(BASE + path).text
    assert 'href="/' not in html and 'src="/' not in html
    for tag, attrs in Page(html).tags:
        if tag in ("script", "link", "img", "iframe"):
            assert not re.match(r"(https?:)?//", attrs.get("src") or attrs.get("href") or "")
        assert not any(name.startswith("on") or name == "style" for name in attrs)


def test_own_files_are_relative_too() -> None:
    for file in FOLDER.rglob("*.*"):
        text = file.read_text()
        outside = re.findall(r"https?://[^\s\"'`]+", text)
        assert set(outside) <= {"http://www.w3.org/2000/svg"}, file
        assert not re.search(r"fetch\(\s*[`\"']/|url\(|innerHTML|eval\(", text), file


def test_hostile_text_is_escaped_everywhere(client: FlaskClient, source: samples.SampleSource) -> None:
    source.set(hostile_job())
    source.logs[WORKER0, HOSTILE] = f"\n</pre>{HOSTILE}".encode()
    pages = [
        client.get(f"{BASE}/", headers={"Cookie": "proxy-user=<img>"}).text,
        client.get(f"{BASE}/logs", query_string={"c": WORKER0, "f": HOSTILE}).text,
        client.get(f"{BASE}/logs", query_string={"c": HOSTILE}).text,
        client.get(f"{BASE}/logs", query_string={"c": "</title>" + HOSTILE}).text,
    ]
    for html in pages:
        page = Page(html)
        assert not any(tag == "img" or "onerror" in attrs for tag, attrs in page.tags)
        assert not any(link.startswith("javascript:") for link in page.links())
        scripts = [attrs for tag, attrs in page.tags if tag == "script"]
        assert all("nonce" in attrs or "src" in attrs for attrs in scripts)
        assert "{{6173*2}}" in page.text and "12346" not in page.text
    assert "onerror=alert(2)" in Page(pages[0]).text


def test_page_answers_with_and_without_its_last_slash(client: FlaskClient) -> None:
    for path in (BASE, f"{BASE}/"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.text.index("<base") < answer.text.index("<link")


def test_log_page_shows_the_end_of_the_file(client: FlaskClient, source: samples.SampleSource) -> None:
    source.write(3, "stderr", b"careful\n")
    source.write(3, "stdout", b"first\n" + b"x" * 70_000 + b"\n\x1b[31mlast\x1b[0m\n")
    page = Page(client.get(f"{BASE}/logs?c={WORKER0}").text)
    assert "\nlast\n" in page.text and "first" not in page.text
    assert f"logs?c={WORKER0}&f=stderr" in page.links()
    viewer = next(a for tag, a in page.tags if a.get("id") == "viewer")
    assert int(viewer["data-next"] or 0) == len(source.logs[WORKER0, "stdout"])


def test_log_page_opens_while_nobody_reads_the_file(
    client: FlaskClient, source: samples.SampleSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: object) -> LogChunk:
        raise XLearningError("the agent does not answer")

    source.write(3, "stdout", b"x" * 70_000)
    monkeypatch.setattr(source, "read_log", silent)
    answer = client.get(f"{BASE}/logs?c={WORKER0}")
    viewer = next(a for tag, a in Page(answer.text).tags if a.get("id") == "viewer")
    assert (answer.status_code, int(viewer["data-next"] or 0)) == (200, 70_000 - TAIL)
    for path, base in (("/logs", ""), ("/logs/", "../")):
        tags = Page(client.get(f"{BASE}{path}?c={WORKER0}").text).tags
        assert [a.get("href", "") for tag, a in tags if tag == "base"] == ([base] if base else [])


def test_log_page_without_files_explains_itself(client: FlaskClient, source: samples.SampleSource) -> None:
    assert "Waiting for stdout" in client.get(f"{BASE}/logs?c={WORKER0}").text
    source.set(
        samples.job(
            containers=(
                samples.container(3, state=samples.ContainerState.LOST, log_url="http://nm:8042/log"),
            )
        )
    )
    page = Page(client.get(f"{BASE}/logs?c={WORKER0}").text)
    assert "cannot be read from here" in page.text and "http://nm:8042/log" in page.links()


def test_unknown_containers_and_files_are_not_found(
    client: FlaskClient, source: samples.SampleSource
) -> None:
    assert client.get(f"{BASE}/logs?c=nobody").status_code == 404
    source.set(samples.failed_job())
    source.write(3, "stdout", b"x")
    assert client.get(f"{BASE}/logs?c={WORKER0}&f=../../etc/passwd").status_code == 404


@pytest.mark.parametrize(
    ("cookie", "viewer", "words"),
    [
        (None, "local user", "Only this machine"),
        ("dr.who", "dr.who", "does not ask who you are"),
        ("alice", "alice", "YARN's web proxy"),
    ],
)
def test_page_says_who_the_viewer_is(
    client: FlaskClient, cookie: str | None, viewer: str, words: str
) -> None:
    headers = {"Cookie": f"proxy-user={cookie}"} if cookie else {}
    page = Page(client.get(f"{BASE}/", headers=headers).text)
    assert f"You are {viewer}." in page.text and words in page.text


def test_page_says_to_whom_yarn_opens_it(source: samples.SampleSource) -> None:
    headers = {"Cookie": "proxy-user=alice"}

    def page(*viewers: str) -> str:
        app = create_app(source, prefix=BASE[1:], nonce="n", viewers=viewers)
        return app.test_client(use_cookies=False).get(f"{BASE}/", headers=headers).text

    assert "YARN opens this page to alice, bob alone." in page("alice", "bob")
    assert "YARN&#39;s web proxy lets through" in page("alice", "*")


@pytest.mark.parametrize(
    "path", [f"{BASE}/", f"{BASE}/api/v1/job", f"{BASE}/healthz", f"{BASE}/nothing", "/"]
)
def test_every_answer_is_guarded_and_not_kept(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.data


def test_the_inline_script_runs_by_a_nonce_that_no_other_answer_has(client: FlaskClient) -> None:
    seen = set()
    for _ in range(2):
        answer = client.get(f"{BASE}/")
        match = re.search(r'<script nonce="([^"]+)">', answer.text)
        assert match and f"'nonce-{match[1]}'" in answer.headers["Content-Security-Policy"]
        seen.add(match[1])
    assert len(seen) == 2 and NONCE not in seen


def test_own_files_may_be_kept_for_ever(client: FlaskClient) -> None:
    html = client.get(f"{BASE}/").text
    for link in re.findall(r'(?:src|href)="(static/[^"]+)"', html):
        answer = client.get(f"{BASE}/{link}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"] and answer.headers["Pragma"] == "cache"
        again = client.get(f"{BASE}/{link}", headers={"If-None-Match": "*", "Range": "bytes=0-1"})
        assert again.status_code == 200 and again.data == answer.data
    script = client.get(f"{BASE}/" + next(iter(re.findall(r"static/[^\"]+job\.js", html))))
    assert script.mimetype == "text/javascript"
    assert client.get(f"{BASE}/static/0000000000000000/js/job.js").status_code == 404


def test_bytes_that_are_no_text_are_shown() -> None:
    odd = "a\udcff"
    source = samples.SampleSource(samples.job(app_name=odd, command=("run", odd)))
    client = create_app(source, prefix=BASE[1:], nonce=NONCE).test_client()
    reply = client.get(f"{BASE}/")
    assert reply.status_code == 200
    assert Page(reply.text).text.count("a\\udcff") >= 2
