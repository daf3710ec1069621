"""The page of a real job, from its address on the client's screen to the stop button."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_tools import live, tab
from playwright.sync_api import Browser, expect
from submitting import Gateway


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    gateway = Gateway(tmp_path / "gateway", dict(os.environ))
    yield gateway
    gateway.close()


def test_watch_a_job_read_its_log_and_stop_it(browser: Browser, gateway: Gateway) -> None:
    program = 'echo "hello from $TF_ROLE"; echo "reporter progress:0.5" >&2; sleep 300'
    running = gateway.start(
        *("--app-name", "watched", "--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 2),
        *("--output", "out#model", "--", "bash", "-c", program),
    )
    running.said("Page: http")
    (address,) = re.findall(r"Page: (\S+)", running.err)
    with tab(browser) as (page, watch):
        page.goto(address)
        live(page)
        expect(page.locator("#rows tr")).to_have_count(3)
        expect(page.get_by_role("heading", level=1)).to_contain_text("Tensorflow Application application_")
        expect(page.locator("#rows")).to_contain_text("worker:0")
        expect(page.locator("#rows")).to_contain_text("50 %")
        page.locator("#rows tr", has_text="ps:0").get_by_role("link", name="stdout").click()
        expect(page.locator("body")).to_contain_text("hello from ps")
        page.go_back()
        live(page)
        page.get_by_role("button", name="Stop job").click()
        page.get_by_role("dialog").get_by_role("button", name="Stop job").click()
        expect(page.locator("body")).to_contain_text("KILLED")
        assert sum(method == "PUT" for method, _ in watch.requests) == 1
    ended = running.end()
    assert ended.code == 2, ended.err
    assert "from the job page" in ended.err
    assert not (gateway.work / "out").exists()
    gateway.nothing_is_left()
