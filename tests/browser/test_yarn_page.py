"""The page of a real YARN application through YARN's own web proxy, in a real Chromium.

One application for the page, its logs and Save Model. Its ApplicationMaster is then killed while the page
is open: another attempt takes over, and ends normally. A second application ends with its ApplicationMaster.
"""

from __future__ import annotations

import json
import os
import re
import signal
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest
import scalars
from browser_tools import Watch, live, tab
from minihadoop import MiniHadoop
from places import Place
from playwright.sync_api import Browser, Page, Request, expect
from submitting import PATIENCE, Running, wait_for, words_of
from webhdfs import WebHdfs
from yarn_gateway import YarnGateway, processes_of

from xlearning.fs import FileSystems

pytestmark = [pytest.mark.browser, pytest.mark.hadoop]
QUIET = ("--board-enable", "false")
TAG = "loss {a} 100%25"  # what YARN's proxy spoils in an address
# something has been painted on the chart, which TensorBoard draws in a worker
DRAWN = """() => {
  const from = document.querySelector("scalar-card line-chart canvas");
  if (!from || !from.width) return false;
  const to = document.createElement("canvas");
  [to.width, to.height] = [from.width, from.height];
  const pen = to.getContext("2d");
  pen.drawImage(from, 0, 0);
  return pen.getImageData(0, 0, to.width, to.height).data.some((value) => value > 0);
}"""
PROGRAM = """
mkdir -p model; n=0
until [ -e GO ]; do n=$((n + 1)); echo "step $n" > new; mv new model/step; echo "step $n"; sleep 0.1; done
"""


@pytest.fixture
def gateway(hadoop: MiniHadoop, tmp_path: Path) -> Iterator[YarnGateway]:
    shared = f"/test-yarn-page-{uuid.uuid4().hex}"
    gateway = YarnGateway(tmp_path / "gateway", hadoop, hadoop.hdfs_uri + shared, dict(os.environ))
    gateway.properties["xlearning.agent.timeout"] = "900s"  # one agent is stopped for a while
    yield gateway
    gateway.close()
    gateway.end_applications()
    WebHdfs(hadoop.namenode_web).delete(shared)


@pytest.fixture
def place(hdfs_dir: str) -> Place:
    return Place(hdfs_dir, FileSystems("file://"))


class Answer(NamedTuple):
    status: int
    kind: str
    text: str


def http(address: str, method: str = "GET") -> Answer:
    """A request without a body by a client that is no browser."""
    request = urllib.request.Request(address, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            return Answer(reply.status, reply.headers["Content-Type"], reply.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.headers["Content-Type"] or "", error.read().decode())


def _is(process: psutil.Process, part: str, container_id: str) -> bool:
    try:
        of = process.environ().get("CONTAINER_ID", "")
        return words_of(process)[-1:] == [part] and of.startswith(container_id)
    except psutil.Error:  # the programs' own short-lived processes
        return False


class Job:
    """A running application whose programs count their steps until `let_go`."""

    def __init__(self, gateway: YarnGateway, place: Place, name: str, *options: object) -> None:
        self.gateway, self._go = gateway, gateway.root / f"go-{name}"
        program = PROGRAM.replace("GO", str(self._go))
        self.running: Running = gateway.start(
            *("--app-type", "TENSORFLOW", *(options if "--board-enable" in options else (*QUIET, *options))),
            *("--output", f"{place.at(name)}#model", "--", "bash", "-c", program),
        )
        self.app_id = gateway.submitted(self.running)
        self.running.said("Page: http")
        (self.page,) = re.findall(r"Page: (\S+)", self.running.err)

    def api(self, path: str = "job") -> Any:
        answer = http(f"{self.page}api/v1/{path}")
        assert answer.status == 200, answer
        assert answer.kind.startswith("application/json")
        return json.loads(answer.text)

    def containers(self) -> dict[str, Any]:
        return {f"{c['role']}:{c['index']}": c for c in self.api("containers")["containers"]}

    def steps(self, container_id: str) -> int:
        """How far a program is, by its log as the page reads it."""
        text = self.api(f"logs?c={container_id}&f=stdout&limit=1000000")["text"]
        return int(text.split()[-1]) if text.endswith("\n") else 0

    def process(self, part: str, container_id: str = "") -> psutil.Process:
        """The agent of a container, or the ApplicationMaster."""
        (found,) = [p for p in processes_of(self.app_id) if _is(p, part, container_id)]
        return found

    def let_go(self) -> None:
        self._go.touch()


def test_page_logs_save_and_another_attempt(
    browser: Browser, hadoop: MiniHadoop, gateway: YarnGateway, place: Place
) -> None:
    job = Job(
        *(gateway, place, "out", "--ps-num", 1, "--worker-num", 2),
        *("--conf", "xlearning.app.max.attempts=2"),
    )
    job.running.said("worker: 2 running")
    without_a_browser(job)
    with tab(browser) as (page, watch):
        refused = failures(page)
        page.goto(f"{hadoop.rm_web}/proxy/{job.app_id}/")
        page.get_by_role("button", name="Service Pages").or_(page.locator("#servicePages")).first.click()
        page.get_by_role("link", name="Job").first.click()
        live(page)
        assert page.url == job.page
        expect(page.locator("#rows tr")).to_have_count(3)
        assert page.locator("h1").evaluate("(e) => getComputedStyle(e).fontSize") == "20px"
        log_follows(page)
        save_model(page, job, place, watch)
        assert refused == []
        assert all(url.startswith(f"{hadoop.rm_web}/") for _, url in watch.requests)
        another_attempt(page, job)
        job.let_go()
        expect(page.locator("#live")).to_have_attribute("data-mode", "ended")
        expect(page.locator("#live-text")).to_contain_text("final: the job succeeded")
        expect(page.locator("#gone")).to_contain_text(f"xl-submit logs {job.app_id}")
        watch.faults.clear()  # the browser's own words about the time without an ApplicationMaster
    ended = job.running.end()
    assert ended.code == 0, ended.err
    assert len([name for name in place.children("out") if name.startswith("interResult_")]) == 3
    after = http(job.page)
    assert (after.status, job.app_id in after.text) == (200, True)  # YARN's own page
    gateway.nothing_is_left_of(job.app_id)


def without_a_browser(job: Job) -> None:
    """Page, assets and API by a client that checks every answer."""
    overview = http(job.page.partition("pages/")[0])
    assert (overview.status, "pages/job/" in overview.text) == (200, True)
    html = http(job.page)
    assert (html.status, job.app_id in html.text) == (200, True)
    assert http(job.page.rstrip("/")).status == 200
    assets = set(re.findall(r'(?:src|href)="(?!data:|#)([^":?]+\.(?:js|css|svg))"', html.text))
    modules = {"dom", "format", "poll", "rows", "saves", "stop", "asks", "yarn", "logs"}
    (folder,) = {asset.split("/")[1] for asset in assets}
    for asset in assets | {f"static/{folder}/js/{name}.js" for name in modules}:
        answer = http(job.page + asset)
        assert answer.status == 200
        assert "json" not in answer.kind
        assert "html" not in answer.kind
    assert not re.search(r'(?:src|href)="(?:/|https?:)(?!/[^"]*containerlogs)', html.text)
    assert job.api()["app_id"] == job.app_id
    for path in ("containers", "saves", "openapi.json", "../../healthz"):
        assert job.api(path)
    for path, status in (("job?since=x", 400), ("job?since={}", 400), ("logs?c={}", 404), ("nothing", 404)):
        answer = http(f"{job.page}api/v1/{path}")
        assert (answer.status, list(json.loads(answer.text))) == (status, ["error"])
    assert http(f"{job.page}?x={{}}").status == 200
    assert http(f"{job.page}logs?c={{}}").status == 404
    for verb in ("kill", "save"):
        assert http(f"{job.page}api/v1/{verb}", "POST").status == 405  # by the proxy
        answer = http(f"{job.page}api/v1/{verb}", "PUT")
        assert (answer.status, "nonce" in json.loads(answer.text)["error"]) == (403, True)
    for container in job.containers().values():
        node = http(container["log_url"])
        assert (node.status, "agent.log" in node.text) == (200, True)


def failures(page: Page) -> list[str]:
    """Requests of the page that failed, from here on; not those that it gives up as it goes elsewhere."""
    found: list[str] = []

    def failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":
            found.append(f"{request.url} {request.failure}")

    page.on("requestfailed", failed)
    page.on("response", lambda r: found.append(f"{r.url} {r.status}") if r.status >= 400 else None)
    return found


def log_follows(page: Page) -> None:
    """From the table to the live log of a worker, read through its agent, and back."""
    row = page.locator("#rows tr", has_text="worker:1")
    expect(row.get_by_role("link", name="node")).to_have_attribute(
        "href", re.compile("^http://.*/node/containerlogs/")
    )
    row.get_by_role("link", name="stdout").click()
    live(page)
    expect(page.locator("#log")).to_contain_text("step 1\n")
    first = int(page.locator("#log").inner_text().split()[-1])
    expect(page.locator("#log")).to_contain_text(f"step {first + 5}")
    expect(page.locator("#files")).to_contain_text("agent.log")
    expect(page.locator("#files")).not_to_contain_text("launch_container")
    page.go_back()
    live(page)


def save_model(page: Page, job: Job, place: Place, watch: Watch) -> None:
    """A save that one agent holds up, with a second one that waits; then one that cannot be written."""
    button = page.get_by_role("button", name="Save Model")
    workers = job.containers()
    slow, quick = workers["worker:1"]["id"], workers["worker:0"]["id"]
    agent = job.process("agent", slow)
    agent.send_signal(signal.SIGSTOP)
    try:
        begun = job.steps(quick)
        button.click()
        expect(page.locator("#notice")).to_contain_text("interResult_")
        expect(page.locator("#save-note")).to_have_text("saving the model ... 2/3")
        expect(button).to_be_enabled()
        nonce = button.get_attribute("data-nonce")
        second = http(f"{job.page}api/v1/save?nonce={nonce}", "PUT")
        assert (second.status, json.loads(second.text)["ok"]) == (200, True)
        assert "after save " in json.loads(second.text)["message"]
        expect(page.locator('#saves [data-f="state"]')).to_have_text(["QUEUED", "RUNNING"])
        expect(page.locator("#save-note")).to_have_text("saving the model ... 2/3, 1 more wait")
        wait_for(lambda: job.steps(quick) > begun, message="training stands still during a save")
        assert job.containers()["worker:0"]["state"] == "RUNNING"
    finally:
        agent.send_signal(signal.SIGCONT)
    states = page.locator('#saves [data-f="state"]')
    expect(states).to_have_text(["SUCCEEDED", "SUCCEEDED"])
    expect(page.locator('#saves [data-f="parts"]')).to_have_text(["3/3", "3/3"])
    expect(page.locator('#saves [data-f="size"]')).to_have_text([re.compile(r"^\d+ B$")] * 2)
    shown = page.locator('#saves [data-f="paths"]').last.inner_text()
    folder = f"out/{shown.rpartition('/')[2]}"
    assert shown == place.at(folder)
    assert re.fullmatch(r"out/interResult_\d{4}(_\d\d){5}", folder)
    parts = {container["id"] for container in workers.values()}  # the ps too: its type says so
    lists = {"_manifest.json", *(f"_manifest/{part}.json" for part in parts)}
    assert set(place.tree(folder)) == {"_SUCCESS", *lists, *(f"{part}/step" for part in parts)}
    assert begun <= int(place.read(f"{folder}/{quick}/step").split()[-1]) <= job.steps(quick)

    state, storage = states.first, place.storage.of(place.uri)
    storage.delete(place.at("out/_temporary"), recursive=True)
    place.write("out/_temporary", b"in the way")
    expect(button).to_be_enabled()
    button.click()
    expect(state).to_have_text("FAILED")
    expect(page.locator('#saves [data-f="failures"]').first).to_contain_text("_temporary")
    storage.delete(place.at("out/_temporary"))
    expect(button).to_be_enabled()
    button.click()
    expect(state).to_have_text("SUCCEEDED")
    assert sum(method == "PUT" for method, _ in watch.requests) == 3


def another_attempt(page: Page, job: Job) -> None:
    """The ApplicationMaster dies while the page is open, and the next one is shown by itself."""
    job.process("am").kill()
    expect(page.locator("#gone-text")).to_contain_text("ApplicationMaster gone")
    expect(page.locator("#again")).to_contain_text("This is attempt 2")
    live(page)
    expect(page.locator("#gone")).to_be_hidden()
    expect(page.locator("#attempt")).to_have_text("2")
    expect(page.locator("#rows")).to_contain_text("RUNNING")


def charts_are_drawn(browser: Browser, job: Job) -> None:
    """TensorBoard below the job page, over event files on HDFS."""
    # a warning of TensorBoard's own
    with tab(browser, expected="Three.js") as (page, watch):
        refused = failures(page)
        page.goto(job.page)
        live(page)
        expect(page.locator("#board-note")).to_be_empty()
        expect(page.locator("#board-link")).to_have_attribute("href", re.compile(r"^http://.*:\d+/$"))
        page.locator("#board-page").click()
        card = page.locator("scalar-card")
        expect(card).to_contain_text(TAG)
        expect(card).to_contain_text("0.25")
        page.wait_for_function(DRAWN)
        assert page.url.startswith(f"{job.page}tb/")
        assert all(url.startswith(f"{job.page.partition('/proxy/')[0]}/") for _, url in watch.requests)
        carried = [url for method, url in watch.requests if method == "PUT"]
        assert any("timeSeries" in url for url in carried)
        assert {method for method, _ in watch.requests} == {"GET", "PUT"}
        assert refused == []
    told = job.gateway.verb("tensorboard", job.app_id)
    assert (told.code, told.out.strip()) == (0, job.api()["board"]["url"]), told.err
    assert f"through YARN's proxy: {job.page}tb/\n" in told.err


def test_charts_and_the_end_of_the_last_applicationmaster(
    browser: Browser, gateway: YarnGateway, place: Place, tmp_path: Path
) -> None:
    scalars.write(tmp_path / "run", TAG, (1.0, 0.5, 0.25))
    (file,) = (tmp_path / "run").iterdir()
    place.write(f"events/run/{file.name}", file.read_bytes())
    job = Job(gateway, place, "out", "--board-enable", "true", "--board-logdir", place.at("events"))
    charts_are_drawn(browser, job)
    # the browser's own words about answers without an ApplicationMaster: YARN's 500, a 404 of one that ends
    with tab(browser, expected="the server responded with a status of ") as (page, _):
        page.goto(job.page)
        live(page)
        expect(page.locator("#rows")).to_contain_text("RUNNING")
        job.process("am").kill()
        expect(page.locator("#live")).to_have_attribute("data-mode", "ended")
        expect(page.locator("#gone-text")).to_contain_text(
            "The job has failed. Its ApplicationMaster is gone"
        )
        expect(page.locator("#gone-words")).to_contain_text("137")
        expect(page.locator("#state")).to_have_text("FAILED")
        expect(page.locator("#stop")).to_be_hidden()
        expect(page.locator("#gone")).to_contain_text(f"xl-submit status {job.app_id}")
        page.get_by_role("link", name="YARN's page of the application").click()
        expect(page.locator("body")).to_contain_text("FinalStatus Reported by AM")
    assert job.running.end().code == 2
    gateway.nothing_is_left_of(job.app_id)
