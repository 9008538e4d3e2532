"""Test what a person does with models in a browser: read about them, try them, and copy the code."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Windows
from tests.flows.product import Product
from tests.inference.runtime.graphs import save_adder
from tests.live_stack import RunningStack
from tests.samples.pdfs import many_pages_pdf
from tests.waiting import eventually

pytestmark = pytest.mark.browser


def open_model(page: Page, name: str, kind: str = "") -> None:
    page.goto(f"/models/{name}")
    if kind:
        page.check(f"#call input[value={kind}]")


def serious_faults(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [fault["id"] for fault in found if fault["impact"] in ("serious", "critical")]


def test_a_model_is_found_in_the_catalog(windows: Windows) -> None:
    with windows.member() as page:
        page.goto("/models")
        expect(page.locator("#model-parse")).to_contain_text("0.0015 € per page")
        page.click("#model-parse a")
        expect(page.locator("h1")).to_have_text("Document parsing")
        expect(page.locator(".strip")).to_contain_text("A PDF of 20 pages costs 0.03 €.")


@pytest.mark.long
def test_the_sample_scan_is_read_in_two_clicks(windows: Windows) -> None:
    with windows.member() as page:
        open_model(page, "parse")
        page.click("#sample")
        expect(page.locator("#preview")).to_be_visible()
        expect(page.locator("#code-curl")).to_contain_text("file=@sample-scan.jpg")
        expect(page.locator("#code-curl")).to_contain_text("/sample/page")
        page.click("#run")
        expect(page.locator("#result")).to_contain_text("INVOICE 2026-0417")
        expect(page.locator("#result")).to_contain_text("Looks like: invoice")
        expect(page.locator("#summary")).to_contain_text("Cost: < 0.01 €.")
        assert serious_faults(page) == []
        page.click("#summary a")
        page.wait_for_url("**/jobs/*")
    assert windows.complaints == []


def test_several_texts_are_compared_and_the_answer_is_there_as_json(windows: Windows) -> None:
    with windows.member() as page:
        open_model(page, "embed", "texts")
        page.fill("#texts", "a cat\na kitten\n\nan invoice")
        page.press("#texts", "Control+Enter")
        cells = page.locator("#result tbody td")
        expect(cells).to_have_count(9)
        alike, apart = (float(cells.nth(place).inner_text()) for place in (1, 2))
        assert alike > apart
        expect(page.locator("#result ol")).to_contain_text("384 numbers, length 1.000")
        page.click("#raw summary")
        expect(page.locator("#raw-json")).to_contain_text('"embeddings"')
        assert serious_faults(page) == []
    assert windows.complaints == []


@pytest.mark.long
def test_tensors_begin_with_an_example_that_runs_and_mistakes_are_said_beside_them(
    windows: Windows, live_stack: RunningStack, tmp_path: Path
) -> None:
    graph = save_adder(tmp_path / "adder.onnx")
    added = Product(live_stack).manage("models", "add", str(graph), "--name", "playground-adder")
    assert added.returncode == 0, added.stderr
    with windows.member() as page:
        open_model(page, "playground-adder")
        page.click("#run")
        expect(page.locator("#result pre")).to_have_text("1  1.1  1.2  1.3")
        page.fill("#tensors", "[{]")
        page.click("#run")
        expect(page.locator("#input-error")).to_contain_text("This is not JSON")
        page.fill("#tensors", '[{"name": "x", "datatype": "FP32", "shape": [1, 3], "data": [1, 2, 3]}]')
        page.click("#run")
        expect(page.locator("#input-error")).to_contain_text("'x' must have shape [-1, 4], not [1, 3]")
        expect(page.locator("#tensors")).to_be_focused()


def test_a_model_is_not_run_before_the_script_of_the_page_listens(windows: Windows) -> None:
    with windows.member() as page:
        held: list[Route] = []
        page.route("**/playground-run*.js", lambda route: held.append(route))  # noqa: PLW0108  # no built-in is taken
        with page.expect_request("**/playground-run*.js"):
            page.goto("/models/embed", wait_until="commit")
        expect(page.locator("#run")).to_be_disabled()
        held[0].continue_()
        page.click("#run")
        expect(page.locator("#result")).to_contain_text("384 numbers")


def test_a_wrong_parameter_is_said_beside_its_field_in_the_servers_words(windows: Windows) -> None:
    with windows.member() as page:
        open_model(page, "parse", "text")
        page.fill("#parameter-min_confidence", "lots")
        page.click("#run")
        expect(page.locator("#error-min_confidence")).to_contain_text("a number from 0 to 1, not 'lots'")
        expect(page.locator("#parameter-min_confidence")).to_be_focused()
        page.fill("#parameter-min_confidence", "0.7")
        expect(page.locator("#error-min_confidence")).to_be_hidden()
        page.click("#run")
        expect(page.locator("#result")).to_contain_text("Total amount due")


def test_a_file_that_cannot_be_read_is_refused_beside_it(windows: Windows) -> None:
    with windows.member() as page:
        open_model(page, "ocr")
        page.click("#run")
        expect(page.locator("#input-error")).to_contain_text("Choose a file first")
        broken = {"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 and no more"}
        page.set_input_files("#file", broken)  # type: ignore[arg-type]  # a FilePayload
        page.click("#run")
        expect(page.locator("#input-error")).to_contain_text("damaged")


@pytest.mark.long
def test_a_long_run_says_how_far_it_is_and_can_be_canceled(windows: Windows) -> None:
    with windows.member() as page:
        open_model(page, "parse")
        long = {"name": "long.pdf", "mimeType": "application/pdf", "buffer": many_pages_pdf(300)}
        page.set_input_files("#file", long)  # type: ignore[arg-type]  # a FilePayload
        page.click("#run")
        expect(page.locator("#progress-words")).to_contain_text("of 300")
        page.click("#cancel")
        expect(page.locator("#progress-words")).to_contain_text("Canceled after")
        expect(page.locator("#run")).to_be_enabled()


def test_a_run_canceled_before_its_answer_came_is_canceled_as_a_job(windows: Windows, live_stack: RunningStack) -> None:
    with windows.member() as page:
        open_model(page, "parse")
        long = {"name": "unwanted.pdf", "mimeType": "application/pdf", "buffer": many_pages_pdf(299)}
        page.set_input_files("#file", long)  # type: ignore[arg-type]  # a FilePayload
        page.click("#run")
        page.click("#cancel")
        expect(page.locator("#progress-words")).to_contain_text("Canceled")
        with Product(live_stack).caller() as caller:

            def is_canceled_or_was_never_made() -> bool:
                jobs = caller.get("/v1/jobs")["data"]
                return {job["state"] for job in jobs if job["pages_total"] == 299} <= {"canceled"}

            eventually(is_canceled_or_was_never_made, "the cancel of the job whose answer nobody saw")


def test_a_run_whose_answer_was_lost_is_asked_for_again_by_the_same_name(windows: Windows) -> None:
    names: list[str] = []

    def lose_first(route: Route) -> None:
        names.append(route.request.headers["idempotency-key"])
        if len(names) == 1:
            route.abort()
        else:
            route.continue_()

    with windows.member() as page:
        open_model(page, "embed")
        page.route("**/v1/jobs", lose_first)
        page.click("#run")
        expect(page.locator("#trouble")).to_contain_text("could not be reached")
        page.click("#run")
        expect(page.locator("#result")).to_contain_text("384 numbers")
        page.click("#run")
        expect(page.locator("#run")).to_be_enabled()
    assert names[0] == names[1] != names[2]


def test_code_follows_the_form_and_can_be_copied(windows: Windows) -> None:
    with windows.member() as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        open_model(page, "parse", "text")
        page.fill("#text", "it's `$HOME`")
        page.fill("#parameter-min_confidence", "0.7")
        page.check("#languages input[value=python]")
        shown = page.locator("#code-python")
        expect(shown).to_contain_text('"min_confidence": 0.7')
        page.click(".snippet:visible button")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == shown.inner_text()
        assert 'text="it\'s `$HOME`"' in copied
        page.reload()
        expect(page.locator("#code-python")).to_be_visible()


@pytest.mark.long
def test_code_has_the_same_form_without_the_scripts(windows: Windows) -> None:
    with windows.member() as page:
        page.route("**/playground*.js", lambda route: route.abort())
        open_model(page, "embed")
        expect(page.locator("#code-curl")).to_contain_text("Total amount due")
