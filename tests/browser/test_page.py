"""The job page in a real Chromium, over a server whose job changes under it."""

import dataclasses

import pytest
import webui_samples as samples
from browser_tools import PATIENCE, live, row, tab
from playwright.sync_api import Browser, Page, expect

from xlearning.job import AppState, BoardView, ContainerState
from xlearning.webui.server import PageServer

pytestmark = pytest.mark.browser


def shown(page: Page, field: str) -> list[str]:
    return page.locator(f'#rows [data-f="{field}"]').all_inner_texts()


def test_rows_appear_and_states_arrive(
    browser: Browser, server: PageServer, source: samples.SampleSource
) -> None:
    full = samples.job()
    source.set(samples.job(containers=(), board=BoardView(True)))
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        expect(page.locator("#waiting")).to_have_text("waiting for containers: 0 of 3")
        expect(page.locator("#empty")).to_be_visible()
        source.set(full)
        expect(page.locator("#rows tr")).to_have_count(3)
        expect(page.locator("#waiting")).to_be_hidden()
        expect(page.locator("#board-link")).to_have_attribute("href", full.board.url)
        expect(row(page, 3)).to_contain_text("worker:0")
        source.set(samples.failed_job())
        expect(row(page, 4).locator('[data-f="state"]')).to_have_text("FAILED")
        expect(page.locator("#failures")).to_contain_text("ValueError: cannot reshape")
        expect(page.locator("#reason")).to_be_visible()
        expect(page.locator("#rows tr").first).to_have_attribute("data-id", samples.container_id(4))


def test_the_page_ends_with_the_job(
    browser: Browser, server: PageServer, source: samples.SampleSource
) -> None:
    with tab(browser) as (page, watch):
        page.goto(server.url)
        live(page)
        expect(page.locator("#stop")).to_be_visible()
        source.change(
            lambda s: dataclasses.replace(
                s, state=AppState.SUCCEEDED, finished=samples.BEGIN + 65, progress=1.0
            )
        )
        expect(page.locator("#live")).to_have_attribute("data-mode", "ended")
        expect(page.locator("#live-text")).to_contain_text("final: the job succeeded")
        expect(page.locator("#elapsed")).to_have_text("1 m 3 s")
        expect(page.locator("#stop")).to_be_hidden()
        server.close()
        asked = watch.count("api/v1/job")
        page.wait_for_timeout(2500)  # longer than two rounds of polling: nothing may happen
        assert watch.count("api/v1/job") == asked
        expect(page.locator("#gone-text")).to_contain_text("The job has ended, and its ApplicationMaster")
        expect(page.locator("#gone")).to_contain_text(f"xl-submit logs {source.snapshot().app_id}")
        expect(page.locator("#gone-yarn")).to_be_hidden()


def test_scripts_say_what_the_server_said(
    browser: Browser, server: PageServer, source: samples.SampleSource
) -> None:
    source.set(samples.failed_job())
    with tab(browser, java_script_enabled=False) as (page, _):
        page.goto(server.url)
        plain = text_of(page)
        assert "failed with exit code 3" in plain and "All Containers" in plain
    with tab(browser) as (page, _):
        page.goto(server.url)
        expect(page.locator("#live")).to_have_attribute("data-mode", "ended")
        source_text = text_of(page)
    assert source_text == plain
    # Rows and cards that the scripts make from nothing say the same again.
    source.set(samples.job(containers=()))
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        source.set(samples.failed_job())
        expect(page.locator("#live")).to_have_attribute("data-mode", "ended")
        assert text_of(page) == plain


def text_of(page: Page) -> str:
    """Words of the page's sections without times (scripts show them in the viewer's zone)."""
    parts = [
        element.evaluate(
            """(e) => { const c = e.cloneNode(true);
            for (const x of c.querySelectorAll("time, #tools, template, [hidden]")) x.remove();
            return c.textContent; }"""
        )
        for element in page.locator("main > section, .columns > section").all()
    ]
    return " ".join(" ".join(parts).split())


def test_filter_and_sort(browser: Browser, server: PageServer, source: samples.SampleSource) -> None:
    source.set(samples.large_job(40))
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        expect(page.locator("#shown")).to_have_text("40 containers")
        cpu = page.locator("th[data-sort=cpu]")
        cpu.get_by_role("button").click()
        expect(cpu).to_have_attribute("aria-sort", "ascending")
        up = [int(text.split()[0]) for text in shown(page, "cpu")]
        assert up == sorted(up)
        cpu.get_by_role("button").press("Enter")
        expect(cpu).to_have_attribute("aria-sort", "descending")
        down = [int(text.split()[0]) for text in shown(page, "cpu")]
        assert down == sorted(up, reverse=True)
        page.locator("th[data-sort=role]").get_by_role("button").click()
        assert shown(page, "place")[:11] == [f"worker:{n}" for n in range(11)]
        page.get_by_label("Role").select_option("ps")
        assert shown(page, "place") == [f"ps:{n}" for n in range(4)]
        expect(page.locator("#shown")).to_have_text("4 of 40 shown")
        page.get_by_label("Role").select_option("")
        page.get_by_label("Filter", exact=True).fill("NODE07 worker")
        expect(page.locator("#rows tr")).to_have_count(1)
        page.get_by_label("Filter", exact=True).fill("nothing like this")
        expect(page.locator("#empty")).to_have_text("No container matches the filter.")
        page.get_by_label("Filter", exact=True).fill("")
        page.get_by_label("State").select_option("SUCCEEDED")
        assert set(shown(page, "state")) == {"SUCCEEDED"}


def test_the_filter_holds_while_the_job_changes(
    browser: Browser, server: PageServer, source: samples.SampleSource
) -> None:
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        page.get_by_label("Filter", exact=True).fill("worker")
        expect(page.locator("#rows tr")).to_have_count(2)
        source.change(
            lambda s: dataclasses.replace(s, containers=(*s.containers, samples.container(7, index=2)))
        )
        expect(page.locator("#rows tr")).to_have_count(3)
        expect(page.get_by_label("Filter", exact=True)).to_be_focused()


def test_a_thousand_containers_keep_their_rows(
    browser: Browser, server: PageServer, source: samples.SampleSource
) -> None:
    source.set(samples.large_job(1000))
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        page.evaluate("for (const row of document.querySelectorAll('#rows tr')) row.mark = true")
        page.evaluate(
            """() => {
            window.writes = 0;
            const count = new MutationObserver((all) => { window.writes += all.length; });
            const what = { subtree: true, childList: true, characterData: true };
            count.observe(document.getElementById('rows'), what);
            }"""
        )

        def one(snapshot: samples.Snapshot) -> samples.Snapshot:
            first, *others = snapshot.containers
            changed = dataclasses.replace(first, cpu_percent=12.0, host="elsewhere")
            return dataclasses.replace(snapshot, containers=(changed, *others))

        source.change(one)
        expect(row(page, 2).locator('[data-f="host"]')).to_have_text("elsewhere")
        assert page.evaluate("window.writes") <= 4
        source.set(samples.large_job(1000, step=1))
        expect(row(page, 2).locator('[data-f="host"]')).not_to_have_text("elsewhere")
        assert (
            page.evaluate("[...document.querySelectorAll('#rows tr')].filter((row) => row.mark).length")
            == 1000
        )


def test_stop_asks_first(browser: Browser, server: PageServer, source: samples.SampleSource) -> None:
    with tab(browser) as (page, watch):
        page.goto(server.url)
        live(page)
        page.get_by_role("button", name="Stop job").click()
        page.get_by_role("button", name="Keep it running").click()
        page.get_by_role("button", name="Stop job").click()
        page.keyboard.press("Escape")
        assert source.kills == [] and not any(method == "PUT" for method, _ in watch.requests)
        page.get_by_role("button", name="Stop job").click()
        page.get_by_role("dialog").get_by_role("button", name="Stop job").click()
        expect(page.locator("#notice")).to_have_text("The job is being stopped.")
        assert source.kills == ["local user"]
        expect(page.locator("#stop")).to_be_disabled()


def test_the_page_outlives_its_applicationmaster(browser: Browser, source: samples.SampleSource) -> None:
    server = PageServer(source)
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(server.url)
    live(page)
    server.close()
    expect(page.locator("#live")).to_have_attribute("data-mode", "stale")
    expect(page.locator("#gone")).to_contain_text("ApplicationMaster gone (no connection)")
    expect(page.locator("#live-age")).to_contain_text("ago")
    expect(page.locator("#rows tr")).to_have_count(3)
    page.get_by_label("Role").select_option("ps")
    expect(page.locator("#rows tr")).to_have_count(1)
    context.close()


def test_another_attempt_gets_its_own_page(
    browser: Browser, server: PageServer, source: samples.SampleSource
) -> None:
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        page.evaluate("window.before = true")
        source.change(lambda s: dataclasses.replace(s, attempt=2))
        expect(page.locator("#attempt")).to_have_text("2")
        expect(page.locator("#again")).to_contain_text("This is attempt 2: the ApplicationMaster before it")
        live(page)
        assert page.evaluate("window.before") is None


def test_hostile_text_stays_text(browser: Browser, server: PageServer, source: samples.SampleSource) -> None:
    bad = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    with tab(browser) as (page, _):
        page.goto(server.url)
        live(page)
        worker = samples.container(
            3,
            role=bad,
            host=bad,
            reason=bad,
            last_lines=(bad,),
            state=ContainerState.FAILED,
            log_url="javascript:alert(3)",
        )
        source.set(
            samples.job(
                app_name=bad,
                phase=bad,
                reason=bad,
                containers=(worker,),
                board=BoardView(True, "javascript:1", bad),
            )
        )
        expect(page.locator("#reason")).to_have_text(bad)
        expect(row(page, 3).locator('[data-f="host"]')).to_have_text(bad)
        assert page.locator("main img, main script, a[href^=javascript]").count() == 0


@pytest.mark.parametrize("path", ["", "logs?c=container_1732900000000_0001_01_000003"])
def test_a_phone_needs_no_sideways_scrolling(
    browser: Browser, server: PageServer, source: samples.SampleSource, path: str
) -> None:
    source.set(samples.failed_job())
    source.write(3, "stdout", b"x" * 500)
    with tab(browser, viewport={"width": 360, "height": 740}) as (page, _):
        page.goto(server.url + path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") == 360
