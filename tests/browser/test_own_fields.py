"""Test how a clerk points at a value, sees what is found, saves the field, and corrects it in the next document."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import faults_in_looks
from tests.browser.conftest import Windows
from tests.flows.caller import Caller
from tests.flows.product import Account, Product
from tests.live_stack import RunningStack
from tests.samples.pdfs import text_pdf

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture
def clerk(product: Product) -> Account:
    """Create an account for a test that counts what is found."""
    return product.create_account("Clerk")


def read(caller: Caller, number: str, *others: str) -> str:
    """Have a contract with this number read, and return its job."""
    lines = ("Agreement", f"Contract number: {number}", "Payment due: 12.05.2026", *others, "Signed by both parties")
    job = caller.submit_file(text_pdf("\n".join(lines)), wait_s=30).json()
    return str(caller.ended(job["id"])["id"])


def box_of(page: Page, text: str) -> list[float]:
    """Return the place of a line on the picture, in pixels of the window."""
    script = """text => {
      const [value] = [...document.querySelectorAll("#of-lines option")].filter((one) => one.textContent === text);
      const picture = document.querySelector("#stage img"), shown = picture.getBoundingClientRect();
      const scale = shown.width / picture.getAttribute("width");
      const [left, top, right, bottom] = JSON.parse(value.value).map((edge) => edge * scale);
      return JSON.stringify([shown.left + left, shown.top + top, shown.left + right, shown.top + bottom]);
    }"""
    found: list[float] = json.loads(page.evaluate(script, text))
    return found


def click_at_end(page: Page, text: str) -> None:
    _, top, right, bottom = box_of(page, text)
    page.mouse.click(right - 4, (top + bottom) / 2)


def drag_over(page: Page, first: str, last: str) -> None:
    left, top, right, _ = box_of(page, first)
    _, _, other_right, bottom = box_of(page, last)
    page.mouse.move(left - 2, top - 2)
    page.mouse.down()
    page.mouse.move(max(right, other_right) + 2, bottom + 2, steps=4)
    page.mouse.up()


def test_a_field_is_pointed_at_tried_saved_found_and_corrected(
    windows: Windows, product: Product, clerk: Account
) -> None:
    with product.caller(clerk) as caller, windows.owner(clerk, width=1440) as page:
        first, _, other = read(caller, "AB-1234"), read(caller, "XY-9876"), caller.submit_file(text_pdf("Hello"))
        caller.ended(other.json()["id"])
        page.goto("/fields")
        expect(page.locator("main")).to_contain_text("No fields of your own yet")
        assert list(faults_in_looks(page)) == []
        page.goto(f"/jobs/{first}?tab=fields")
        page.click("#define-field")
        assert list(faults_in_looks(page)) == []
        click_at_end(page, "Contract number: AB-1234")
        expect(page.locator(".seen strong")).to_have_text("AB-1234")
        expect(page.locator("[name=labels]")).to_have_value("Contract number")
        expect(page.locator("#trial")).to_contain_text("Found in 2 of the last 3 documents")
        expect(page.locator(".tried")).to_contain_text("XY-9876")
        assert list(faults_in_looks(page)) == []
        page.fill("[name=title]", "Our number")
        page.click("#field-form button[type=submit]")
        expect(page.locator("h1")).to_contain_text("our_number")
        expect(page.locator("#trial")).to_contain_text("Found in 2")
        assert list(faults_in_looks(page)) == []
        page.click("button:has-text('Look in earlier documents')")
        expect(page.locator("#apply")).to_contain_text("2 changed")
        page.goto("/fields")
        expect(page.locator(".own-fields")).to_contain_text("2 of 3")
        assert list(faults_in_looks(page)) == []
        page.goto(f"/jobs/{read(caller, 'CD-5555')}?tab=fields")
        value = page.locator("#fields td[data-line]").filter(has_text="CD-5555")
        value.click()
        assert list(faults_in_looks(page)) == []
        page.keyboard.press("e")
        page.fill(".correcting input", "CD-5556")
        page.keyboard.press("Enter")
        expect(page.locator("#fields td.corrected .text")).to_have_text("CD-5556")
        page.click("#corrections summary")
        page.click("[data-undo]")
        expect(page.locator("#fields td[data-line] .text")).to_have_text("CD-5555")
    assert windows.complaints == []


def test_the_value_of_a_whole_line_and_several_lines_are_taken_with_a_drag(
    windows: Windows, product: Product, clerk: Account
) -> None:
    with product.caller(clerk) as caller, windows.owner(clerk, width=1440) as page:
        job = read(caller, "AB-1234", "Ship to:", "Kestrel Ltd", "9 High Street")
        page.goto(f"/fields/new?job={job}")
        drag_over(page, "Payment due: 12.05.2026", "Payment due: 12.05.2026")
        expect(page.locator(".seen strong")).to_have_text("12.05.2026")
        expect(page.locator("[name=title]")).to_have_value("Payment due")
        expect(page.locator("[name=type]")).to_have_value("date")
        drag_over(page, "Kestrel Ltd", "9 High Street")
        expect(page.locator(".seen strong")).to_have_text("Kestrel Ltd\n9 High Street")
        expect(page.locator("[name=title]")).to_have_value("Ship to")
    assert windows.complaints == []


def test_a_field_is_defined_by_keys_alone_on_a_phone(windows: Windows, product: Product, clerk: Account) -> None:
    with product.caller(clerk) as caller, windows.owner(clerk, width=390) as page:
        page.goto(f"/fields/new?job={read(caller, 'AB-1234')}")
        page.locator("#of-lines").focus()
        page.keyboard.type("Contract")
        expect(page.locator(".seen strong")).to_have_text("AB-1234")
        value = page.locator("#of-value").bounding_box()
        stage = page.locator("#stage").bounding_box()
        assert value is not None
        assert stage is not None
        assert stage["x"] <= value["x"]
        assert value["x"] + value["width"] <= stage["x"] + stage["width"]
        page.locator("[name=title]").press("Enter")
        expect(page.locator("h1")).to_contain_text("contract_number")
        page.goto("/fields/new")
        expect(page.locator("#trial")).to_contain_text("Type a label")
        page.fill("[name=title]", "Due")
        page.fill("[name=labels]", "Payment due")
        expect(page.locator(".tried")).to_contain_text("12.05.2026")
        page.locator("[name=title]").press("Enter")
        expect(page.locator("h1")).to_contain_text("due")
    assert windows.complaints == []
