"""Every page of the dashboard, empty and crowded, on a desk and on a phone, light and dark: nothing breaks out,
nothing is complained about, and axe-core finds no serious fault."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.accessibility import grave_faults
from tests.browser.scenery import crowd
from tests.flows.product import Account, Product
from tests.live_stack import RunningStack

pytestmark = pytest.mark.browser

PLACES = (
    "/jobs",
    "/archives",
    "/batches",
    "/models",
    "/models/parse",
    "/models/embed",
    "/budgets",
    "/usage",
    "/usage?months=12",
    "/usage/day",
    "/billing",
    "/billing/invoices",
    "/billing/payments",
    "/billing/details",
    "/keys",
    "/log",
    "/audit",
    "/webhooks",
    "/webhooks/new",
    "/members",
    "/members/leave",
    "/invitations/accept/x",
    "/account",
    "/account/email",
    "/account/password",
    "/account/sessions",
    "/account/sign-on",
    "/account/delete",
    "/tenant/delete",
    "/sign-in/stopped",
    "/account/two-factor",
    "/account/two-factor/app",
    "/password/forgotten",
    "/password/forgotten/sent",
    "/password/renewed",
    "/password/new/x-y",
    "/confirm-email/x",
    "/sign-up/sent",
    "/shut",
    "/nothing-here",
)
CROWDED = ("/jobs?state=failed", "/jobs?q=nothing+like+this", "/jobs?q=invoice", "/jobs?size=100")


@dataclass(frozen=True)
class Look:
    width: int
    scheme: Literal["light", "dark"]

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}"


LOOKS = (Look(1440, "light"), Look(1440, "dark"), Look(390, "light"), Look(390, "dark"))


@dataclass(frozen=True)
class Scene:
    account: Account
    addresses: tuple[str, ...]


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture(scope="module")
def empty(product: Product) -> Scene:
    return Scene(product.create_account("Empty"), PLACES)


@pytest.fixture(scope="module")
def crowded(product: Product) -> Scene:
    account = product.create_account("Crowded")
    crowd(product, account)
    # A colleague, whose role can be changed.
    product.rows(
        "INSERT INTO tenants_membership (id, tenant_id, user_id, role, created_at)"
        " SELECT gen_random_uuid(), %s, user_id, 'developer', now() FROM tenants_membership WHERE tenant_id = %s"
        " RETURNING id",
        account.tenant_id,
        product.create_account("Colleague").tenant_id,
    )
    newest = product.rows(
        "SELECT DISTINCT ON (state) id FROM jobs_job WHERE tenant_id = %s ORDER BY state, id DESC",
        account.tenant_id,
    )
    archives = product.rows("SELECT id FROM jobs_archive WHERE tenant_id = %s", account.tenant_id)
    with product.caller(account) as caller:
        hook = caller.http.post("/v1/webhooks/endpoints", json={"url": f"https://example.com/{'hook' * 60}"})
        caller.http.post(f"{hook.headers['location']}/test")
    webhook = f"/webhooks/{hook.json()['id']}"
    return Scene(
        account,
        (
            *PLACES,
            *CROWDED,
            webhook,
            *(f"/archives/{row[0]}" for row in archives),
            *(f"/jobs/{row[0]}" for row in newest),
        ),
    )


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_no_page_of_a_new_account_has_a_serious_fault(
    browser: Browser, product: Product, empty: Scene, look: Look
) -> None:
    assert faults_of(browser, product, empty, look) == []


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_no_page_of_a_crowded_account_has_a_serious_fault(
    browser: Browser, product: Product, crowded: Scene, look: Look
) -> None:
    assert faults_of(browser, product, crowded, look) == []


def faults_of(browser: Browser, product: Product, scene: Scene, look: Look) -> list[str]:
    with window(browser, product, scene.account, look) as (page, complaints):
        faults = [fault for address in scene.addresses for fault in faults_at(page, address)]
    return faults + complaints


def faults_at(page: Page, address: str) -> Iterator[str]:
    page.goto(address)
    root = "document.documentElement"
    if page.evaluate(f"{root}.scrollWidth > {root}.clientWidth"):
        yield f"{address}: scrolls sideways"
    yield from (f"{address}: {fault}" for fault in grave_faults(page))


@contextmanager
def window(
    browser: Browser, product: Product, account: Account, look: Look
) -> Iterator[tuple[Page, list[str]]]:
    complaints: list[str] = []
    context = browser.new_context(
        base_url=product.running.url,
        viewport=ViewportSize(width=look.width, height=844),
        color_scheme=look.scheme,
    )
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: _hear(message.type, message.text, complaints))
    page.goto("/sign-in")
    page.fill("[name=username]", account.email)
    page.fill("[name=password]", account.password)
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/jobs")
    yield page, complaints
    context.close()


def _hear(kind: str, text: str, complaints: list[str]) -> None:
    # The missing page is logged as a failed resource; what is meant here are scripts and policies.
    if kind == "error" and "Failed to load resource" not in text:
        complaints.append(text)
