"""Test how a clerk makes a class set: names it, adds examples from the list, trains it, and uses it."""

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.accessibility import faults_in_looks
from tests.browser.conftest import Windows
from tests.flows.caller import Caller
from tests.flows.product import Account, Product
from tests.live_stack import RunningStack

pytestmark = pytest.mark.browser

TEXTS = {
    "complaint": "Dear Sir, the pump that you sent in week {} is broken. I want my money back. Yours, Anna Berg",
    "order": "Order {}. Please deliver: 4 valves, 12 hoses, 3 pumps. Deliver to our stores in Leeds. Purchasing",
}


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture(scope="module")
def clerk(product: Product) -> Account:
    return product.create_account("Sorter")


def read(caller: Caller, label: str, number: int) -> str:
    text = TEXTS[label].format(number).encode()
    job = caller.http.post("/v1/jobs", data={"model": "parse"}, files={"file": (f"{label}-{number}.txt", text)}).json()
    return str(caller.ended(job["id"])["id"])


def add(page: Page, jobs: list[str], label: str) -> None:
    page.goto("/jobs")
    for job in jobs:
        page.check(f"#pick-{job}")
    page.click("#bulk .add-to-class summary")
    page.fill("#add-label", label)
    page.keyboard.press("Enter")
    expect(page.locator("#notices")).to_contain_text(f"{len(jobs)} added to “{label}”")


def test_a_class_set_is_made_from_the_list_trained_and_used(windows: Windows, product: Product, clerk: Account) -> None:
    with product.caller(clerk) as caller, windows.owner(clerk, width=1440) as page:
        jobs = {label: [read(caller, label, number) for number in range(5)] for label in TEXTS}
        page.goto("/classes")
        assert list(faults_in_looks(page)) == []
        page.fill("#name", "mail")
        page.fill("#title", "Incoming mail")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_contain_text("not trained")
        expect(page.locator("#train")).to_be_disabled()
        assert list(faults_in_looks(page)) == []
        for label, examples in jobs.items():
            add(page, examples, label)
        page.goto("/classes/mail")
        page.locator("#train").focus()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_contain_text("Trained as mail@1")
        page.click("summary:has-text('Confusion table')")
        expect(page.locator(".confusion tbody tr")).to_have_count(2)
        assert list(faults_in_looks(page)) == []
        page.click("text=Try on the latest documents")
        expect(page.locator("#tries tbody tr")).to_have_count(10)
        assert list(faults_in_looks(page)) == []
        page.goto("/classes")
        expect(page.locator(".class-sets")).to_contain_text("mail@1")
        assert list(faults_in_looks(page)) == []
    assert windows.complaints == []


def test_an_uploaded_document_is_classed_by_the_chosen_set(windows: Windows, product: Product, clerk: Account) -> None:
    with product.caller(clerk) as caller, windows.owner(clerk, width=390) as page:
        caller.http.post("/v1/class-sets", json={"name": "post"})
        for label in TEXTS:
            jobs = [read(caller, label, number) for number in range(20, 25)]
            caller.http.post("/v1/class-sets/post/examples", json={"label": label, "jobs": jobs})
        caller.http.post("/v1/class-sets/post/train")
        page.goto("/jobs")
        page.click("#upload summary:has-text('Options')")
        page.select_option("#class-set", "post")
        text = TEXTS["order"].format(77).encode()
        page.set_input_files("#file", FilePayload(name="new.txt", mimeType="text/plain", buffer=text))
        page.click("#job-rows a:has-text('new.txt')")
        expect(page.locator("main")).to_contain_text("post@1")
        assert list(faults_in_looks(page)) == []
    assert windows.complaints == []
