"""Save Model in a real Chromium: on the page of a real job, and over a job that changes at will."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import webui_samples as samples
from browser_tools import live, tab
from places import Place
from playwright.sync_api import Browser, Page, expect
from submitting import Gateway, Running, wait_for, words_of

from xlearning.fs import FileSystems
from xlearning.job import AppState, SaveState
from xlearning.webui.server import PageServer

pytestmark = pytest.mark.browser
PROGRAM = "mkdir -p model; echo 1 > model/step; touch UP-$INDEX; while [ ! -e GO ]; do sleep 0.05; done"


@pytest.fixture(params=["local", pytest.param("hdfs", marks=pytest.mark.hadoop)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "hdfs":
        return Place(request.getfixturevalue("hdfs_dir"), FileSystems("file://"))
    (tmp_path / "place").mkdir()
    return Place((tmp_path / "place").as_uri(), FileSystems("file://"))


@pytest.fixture
def gateway(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Gateway]:
    environ = dict(os.environ)
    if request.node.callspec.params.get("place") == "hdfs":
        environ = request.getfixturevalue("hadoop").env(environ)
    gateway = Gateway(tmp_path / "gateway", environ)
    yield gateway
    gateway.close()


def start(gateway: Gateway, place: Place) -> tuple[Running, str]:
    """A job of two workers that write a file and wait; and the address of its page."""
    program = PROGRAM.replace("UP", f"{gateway.root}/up").replace("GO", f"{gateway.root}/go")
    running = gateway.start(
        *("--worker-num", 2, "--output", f"{place.at('out')}#model", "--", "bash", "-c", program)
    )
    wait_for(lambda: len(list(gateway.root.glob("up-*"))) == 2 or running.process.poll() is not None)
    running.said("Page: http")
    (address,) = re.findall(r"Page: (\S+)", running.err)
    return running, address


def button(page: Page):  # type: ignore[no-untyped-def]
    return page.get_by_role("button", name="Save Model")


def test_click_and_find_the_files(browser: Browser, gateway: Gateway, place: Place) -> None:
    running, address = start(gateway, place)
    with tab(browser) as (page, watch):
        page.goto(address)
        live(page)
        expect(page.locator("#saves-empty")).to_be_visible()
        button(page).click()
        expect(page.locator("#notice")).to_contain_text("interResult_")
        expect(page.locator("#saves tr")).to_have_count(1)
        expect(page.locator('#saves [data-f="state"]')).to_have_text("SUCCEEDED")
        expect(page.locator("#saves")).to_contain_text("2/2")
        shown = page.locator('#saves [data-f="paths"]').inner_text()
        expect(button(page)).to_be_enabled()
        assert [method for method, url in watch.requests if "api/v1/save?" in url] == ["PUT"]
        folder = f"out/{shown.rpartition('/')[2]}"
        assert shown == place.at(folder)
        tree = {name: size for name, size in place.tree(folder).items() if not name.startswith("_manifest")}
        assert len(tree) == 3 and "_SUCCESS" in tree
        assert {name.rpartition("/")[2]: size for name, size in tree.items() if size == 2} == {"step": 2}
        (gateway.root / "go").touch()
        expect(page.locator("#live")).to_have_attribute("data-mode", "ended")
        expect(button(page)).to_be_hidden()
        expect(page.locator("#saves tr")).to_have_count(1)
    assert running.end().code == 0
    assert place.exists("out/_SUCCESS")
    gateway.nothing_is_left()


@pytest.mark.parametrize("place", ["local"], indirect=True)
def test_while_one_runs_the_next_one_waits_and_failures_are_shown(
    browser: Browser, gateway: Gateway, place: Place
) -> None:
    gateway.properties["xlearning.agent.timeout"] = "900s"
    running, address = start(gateway, place)
    agent = next(p for p in gateway.processes() if words_of(p)[-1:] == ["agent"])
    agent.send_signal(signal.SIGSTOP)
    with tab(browser) as (page, _):
        page.goto(address)
        live(page)
        button(page).click()
        expect(page.locator("#save-note")).to_have_text("saving the model ... 1/2")
        button(page).click()
        states = page.locator('#saves [data-f="state"]')
        expect(states).to_have_text(["QUEUED", "RUNNING"])
        expect(page.locator("#save-note")).to_contain_text("1 more wait")
        agent.kill()
        expect(states.nth(1)).to_have_text("PARTIAL")
        expect(page.locator('#saves [data-f="trigger"]')).to_have_text(["page", "page"])
        expect(page.locator('#saves [data-f="failures"]').nth(1)).to_contain_text("worker:")
    running.end()


def test_words_of_a_refusal_and_of_the_reason(
    browser: Browser, server: PageServer, source: samples.SampleSource
) -> None:
    with tab(browser) as (page, watch):
        page.goto(server.url)
        live(page)
        source.save_answer = (False, "save 1 is running: 0 of 2 containers are done", "")
        with page.expect_response(lambda answer: "api/v1/save?" in answer.url) as told:
            button(page).click()
        assert told.value.status == 409
        expect(page.locator("#notice.bad")).to_have_text("save 1 is running: 0 of 2 containers are done")
        expect(button(page)).to_be_enabled()
        assert source.savers == ["local user"]
        source.change(lambda s: dataclasses.replace(s, save_note="the job has no --output"))
        expect(page.locator("#save-note")).to_have_text("the job has no --output")
        expect(button(page)).to_be_disabled()
        watch.faults.clear()  # the browser's own word about status 409
    assert source.savers == ["local user"]


def test_saves_come_and_change(browser: Browser, server: PageServer, source: samples.SampleSource) -> None:
    running = samples.save(1, SaveState.RUNNING)
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        source.set(samples.job(saves=(running,)))
        expect(page.locator("#save-note")).to_have_text("saving the model ... 1/2")
        source.set(samples.job(saves=(samples.save(2, SaveState.FAILED), samples.save(1))))
        states = page.locator('#saves [data-f="state"]')
        expect(states).to_have_text(["FAILED", "SUCCEEDED"])
        expect(page.locator('#saves [data-f="size"]')).to_have_text(["0 B", "12 MiB"])
        expect(page.locator("#saves")).to_contain_text("disk full")
        expect(page.locator("#saves-empty")).to_be_hidden()
        source.change(lambda s: dataclasses.replace(s, state=AppState.SUCCEEDED, save_note="ended"))
        expect(button(page)).to_be_hidden()
