"""Test what changes by itself on an operator's pages and what the operator does with the mouse, with the whole running
product.
"""

import re

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.becoming import until
from tests.browser.conftest import Windows
from tests.live_stack import RunningStack
from tests.samples.pdfs import small_scans, text_pdf

pytestmark = pytest.mark.browser
GRAVE = {"serious", "critical"}
TEXT = text_pdf("A page that no model has to recognize")
_A_NUMBER = re.compile(r"^[\d,]+$")


def submit(stack: RunningStack, name: str, content: bytes = TEXT) -> str:
    answer = httpx.post(
        f"{stack.url}/v1/jobs",
        # A cached result would not run again.
        headers={"Authorization": f"Bearer {stack.demo['MAAS_API_KEY']}", "Cache-Control": "no-store"},
        data={"model": "parse"},
        files={"file": (name, content)},
        timeout=60,
    )
    answer.raise_for_status()
    return str(answer.json()["id"])


def drain(page: Page) -> None:
    page.goto("/admin/jobs/job/workers/")
    page.get_by_role("button", name="Drain").click()
    expect(page.locator("#content h2")).to_have_text("Drain the last worker that accepts pages?")
    page.locator("#content").get_by_role("button", name="Drain").click()
    expect(page.get_by_text("draining", exact=True)).to_be_visible()


def resume(page: Page) -> None:
    page.goto("/admin/jobs/job/workers/")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("accepts pages", exact=True)).to_be_visible()


def test_the_home_shows_work_that_arrives_without_a_reload(windows: Windows, live_stack: RunningStack) -> None:
    with windows.operator() as page:
        page.evaluate("window.neverReloaded = true")
        counted = page.locator("#tile-jobs .op-number")
        expect(counted).to_have_text(_A_NUMBER)
        before = int(counted.inner_text().replace(",", ""))
        submit(live_stack, "watched.pdf")
        expect(counted).not_to_have_text(f"{before:,}")
        assert page.evaluate("window.neverReloaded") is True
        assert page.evaluate("window.Chart.instances[0].data.datasets[0].data.length") == 60
    assert windows.complaints == []


def test_the_engine_shows_what_models_run_without_a_reload(windows: Windows, live_stack: RunningStack) -> None:
    with windows.operator() as page:
        page.goto("/admin/engine/")
        page.evaluate("window.neverReloaded = true")
        row = page.get_by_role("row", name="read@1 recognition")
        submit(live_stack, "for the engine.pdf", small_scans("Seven bridges"))
        expect(row).to_contain_text("ms")
        until(
            page,
            "window.Chart.getChart(document.querySelector('[data-chart=rows]'))"
            ".data.datasets.some((one) => one.data.some(Boolean))",
        )
        assert page.evaluate("window.neverReloaded") is True
        page.set_viewport_size({"width": 1440, "height": 900})
        for table in page.locator(".op-scroll").all():
            assert table.evaluate("table => table.scrollWidth <= table.clientWidth")
        page.set_viewport_size({"width": 390, "height": 844})
        until(page, "document.documentElement.scrollWidth <= 390")
        page.get_by_role("link", name="read@1", exact=True).click()
        until(page, "document.documentElement.scrollWidth <= 390")
        expect(page.locator("#content")).to_contain_text("recognition.onnx")
    assert windows.complaints == []


def test_a_worker_that_drains_takes_nothing_until_it_is_resumed_and_a_waiting_job_is_canceled(
    windows: Windows, live_stack: RunningStack
) -> None:
    with windows.operator() as page:
        drain(page)
        try:
            canceled = submit(live_stack, "to be canceled.pdf")
            waiting = submit(live_stack, "has to wait.pdf")
            page.goto(f"/admin/jobs/job/?q={canceled}")
            page.get_by_label("Select record").check()
            page.locator("select[name=action]").select_option("cancel")
            page.get_by_role("button", name="Run").click()
            page.get_by_role("button", name="Cancel jobs").click()
            expect(page.locator("#result_list .op-badge")).to_have_text("canceled")
            page.goto(f"/admin/jobs/job/{waiting}/change/")
            expect(page.locator("[data-zone=job] .op-badge").first).to_have_text("queued")
        finally:
            resume(page)
        page.goto(f"/admin/jobs/job/{waiting}/change/")
        expect(page.locator("[data-zone=job] .op-badge").first).to_have_text("succeeded")
    assert windows.complaints == []


def test_the_secret_of_a_pasted_key_leaves_the_field_before_it_is_searched_for(
    windows: Windows, live_stack: RunningStack
) -> None:
    with windows.operator() as page:
        page.goto("/admin/tenants/apikey/")
        field = page.locator("input[name=q]").first
        field.fill(live_stack.demo["MAAS_API_KEY"])
        shown = live_stack.demo["MAAS_API_KEY"].rpartition("_")[0]
        expect(field).to_have_value(shown)
        field.press("Enter")
        page.wait_for_url(f"**/?q={shown}")
        expect(page.locator("#result_list")).to_contain_text(shown)
    assert windows.complaints == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_part_of_the_admin_is_seriously_hard_to_use(windows: Windows, live_stack: RunningStack, scheme: str) -> None:
    job = submit(live_stack, "looked at.pdf")
    with windows.operator() as page:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for path in (
            "/admin/",
            "/admin/jobs/job/",
            f"/admin/jobs/job/{job}/change/",
            "/admin/jobs/job/workers/",
            "/admin/engine/",
            "/admin/tenants/tenant/",
        ):
            page.goto(path)
            page.wait_for_load_state("load")
            found = [
                (one["id"], [node["html"][:160] for node in one["nodes"]][:3])
                for one in Axe().run(page).response["violations"]
                if one["impact"] in GRAVE
            ]
            assert found == [], path


@pytest.mark.long
def test_a_list_fits_a_phone(windows: Windows, live_stack: RunningStack) -> None:
    submit(live_stack, "A very long name, as scanners like to give them " * 4 + ".pdf")
    with windows.operator() as page:
        page.set_viewport_size({"width": 390, "height": 844})
        for path in (
            "/admin/",
            "/admin/jobs/job/",
            "/admin/jobs/job/workers/",
            "/admin/engine/",
            "/admin/admin/logentry/",
        ):
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
