"""The log viewer, and all pages behind a web proxy like YARN's, in a real Chromium."""

import dataclasses

import pytest
import webui_samples as samples
from browser_tools import YarnLikeProxy, live, row, tab
from playwright.sync_api import Browser, expect

from xlearning.job import ContainerState
from xlearning.webui.server import PageServer

pytestmark = pytest.mark.browser


def test_the_log_view_follows(browser: Browser, server: PageServer, source: samples.SampleSource) -> None:
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        row(page, 3).get_by_role("link", name="stdout").click()
        log = page.locator("#log")
        expect(page.locator("#nothing")).to_have_text("Waiting for stdout.")
        source.write(3, "stdout", b"".join(b"line %d\n" % n for n in range(200)))
        expect(log).to_contain_text("line 199")
        source.write(3, "stdout", b"\x1b[1")
        source.write(3, "stdout", b"m200 \xe4\xb8\xad <b>not markup</b>\x1b[0m\n")
        expect(log).to_contain_text("200 中 <b>not markup</b>")
        assert log.evaluate("(e) => e.scrollTop + e.clientHeight >= e.scrollHeight - 2")
        log.evaluate("(e) => { e.scrollTop = 0; }")
        expect(page.get_by_label("Follow")).not_to_be_checked()
        source.write(3, "stdout", b"the end\n")
        source.write(3, "stderr", b"oh\n")
        expect(log).to_contain_text("the end")
        assert log.evaluate("(e) => e.scrollTop") == 0
        expect(page.locator("#files")).to_contain_text("stderr 3 B")
        source.change(
            lambda s: dataclasses.replace(
                s,
                containers=tuple(
                    dataclasses.replace(c, state=ContainerState.SUCCEEDED) for c in s.containers
                ),
            )
        )
        expect(page.locator("#live")).to_have_attribute("data-mode", "ended")
        page.get_by_role("link", name="mnist-ps").click()
        live(page)


def test_earlier_parts_of_a_long_log(
    browser: Browser, server: PageServer, source: samples.SampleSource
) -> None:
    source.write(3, "stdout", b"first line\n" + b"x" * 99 * 1024 + b"\nlast line\n")
    with tab(browser) as (page, _):
        page.goto(f"{server.url}logs?c={samples.container_id(3)}")
        live(page)
        expect(page.locator("#log")).to_contain_text("last line")
        expect(page.locator("#log")).not_to_contain_text("first line")
        page.get_by_role("button", name="Load earlier").click()
        expect(page.locator("#log")).to_contain_text("first line")
        expect(page.get_by_role("button", name="Load earlier")).to_be_hidden()
        assert page.locator("#log").evaluate("(e) => e.textContent.length") == len(
            source.logs[samples.container_id(3), "stdout"]
        )


def test_everything_works_behind_yarns_proxy_without_the_last_slash(
    browser: Browser, proxied: str, source: samples.SampleSource
) -> None:
    source.write(3, "stdout", b"hello from worker 0\n")
    with tab(browser) as (page, watch):
        page.goto(proxied)
        live(page)
        assert page.locator("h1").evaluate("(e) => getComputedStyle(e).fontSize") == "20px"
        source.change(lambda s: dataclasses.replace(s, phase="committing"))
        expect(page.locator("#phase")).to_have_text("committing")
        row(page, 3).get_by_role("link", name="stdout").click()
        expect(page.locator("#log")).to_contain_text("hello from worker 0")
        source.write(3, "stdout", b"more\n")
        expect(page.locator("#log")).to_contain_text("more")
        page.get_by_role("link", name="mnist-ps").click()
        live(page)
        page.get_by_role("button", name="Stop job").click()
        page.get_by_role("dialog").get_by_role("button", name="Stop job").click()
        expect(page.locator("#notice")).to_have_text("The job is being stopped.")
        assert source.kills == ["local user"]
        assert [url for _, url in watch.requests if not url.startswith(proxied)] == []


def test_a_page_of_the_proxy_itself_is_not_taken_for_an_answer(browser: Browser, server: PageServer) -> None:
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        page.route(
            "**/api/v1/**", lambda route: route.fulfill(content_type="text/html", body="<h1>WARNING</h1>")
        )
        expect(page.locator("#gone")).to_contain_text("the web proxy answered with a page of its own")
        page.unroute("**/api/v1/**")
        live(page)
        expect(page.locator("#gone")).to_be_hidden()


def test_when_the_applicationmaster_is_gone_yarn_has_the_last_word(
    browser: Browser, proxied: str, server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tab(browser) as (page, watch):
        page.goto(proxied)
        live(page)
        monkeypatch.setitem(YarnLikeProxy.yarn, "state", "ACCEPTED")
        server.close()
        said = page.locator("#gone-text")
        expect(said).to_contain_text("ApplicationMaster gone")
        expect(said).to_contain_text(
            "YARN says that the application is ACCEPTED and may start another attempt"
        )
        expect(page.locator("#live")).to_have_attribute("data-mode", "gone")
        expect(page.locator("#gone-yarn")).to_have_attribute("href", "/proxy/application_1_0001/")
        bad = "exit code 137 <b>of the driver</b>"
        for name, value in (("state", "FINISHED"), ("finalStatus", "FAILED"), ("diagnostics", bad)):
            monkeypatch.setitem(YarnLikeProxy.yarn, name, value)
        expect(page.locator("#live")).to_have_attribute("data-mode", "ended")
        expect(said).to_contain_text(
            "The job has failed. Its ApplicationMaster is gone; below is how things stood"
        )
        expect(page.locator("#gone-words")).to_have_text(bad)
        expect(page.locator("#state")).to_have_text("FAILED")
        expect(page.locator("#stop")).to_be_hidden()
        expect(page.locator("#save")).to_be_hidden()
        asked = len(watch.requests)
        page.wait_for_timeout(2500)  # longer than two rounds of polling: nothing may happen
        assert len(watch.requests) == asked


def test_the_log_page_with_a_slash_at_its_end(
    browser: Browser, proxied: str, source: samples.SampleSource
) -> None:
    source.write(3, "stdout", b"hello\n")
    with tab(browser) as (page, _):
        page.goto(f"{proxied}/logs/?c={samples.container_id(3)}")
        live(page)
        expect(page.locator("#log")).to_contain_text("hello")
        assert page.locator("h1").evaluate("(e) => getComputedStyle(e).fontSize") == "20px"
        page.get_by_role("link", name="mnist-ps").click()
        live(page)
