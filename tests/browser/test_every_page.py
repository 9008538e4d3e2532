"""Test that every page of the dashboard fits a desktop and a phone, and that the browser reports no errors.

axe-core finds no serious fault on a few pages, light and dark. `make test-long` runs it on all of them, with an empty
account as well as a full one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.accessibility import HEIGHT, LOOKS, Look, faults_in_looks, scrolls_sideways
from tests.browser.scenery import crowd
from tests.flows.product import Account, Product
from tests.live_stack import RunningStack

pytestmark = pytest.mark.browser

PLACES = (
    "/jobs",
    "/quickstart",
    "/archives",
    "/batches",
    "/models",
    "/models/parse",
    "/models/embed",
    "/own-models/new",
    "/fields",
    "/fields/new",
    "/classes",
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
    "/errors/input_not_accepted",
)
HANDFUL = ("/jobs", "/models/parse", "/usage", "/billing", "/keys", "/webhooks/new", "/account")
"""Pages that contain what the others consist of: lists, forms, charts, tables, dialogs."""
CROWDED = ("/jobs?state=failed", "/jobs?q=nothing+like+this", "/jobs?q=invoice", "/jobs?size=100")


TWO_LOOKS = (LOOKS[0], LOOKS[-1])


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
    crowd(product, account, many=300)
    # This adds a colleague, whose role can be changed.
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
        field = caller.http.post("/v1/fields", json={"name": "a_long_name_of_a_field", "labels": ["Nummer" * 10]})
        caller.http.post("/v1/class-sets", json={"name": "a-very-long-name-of-a-class-set", "title": "T" * 100})
    webhook = f"/webhooks/{hook.json()['id']}"
    return Scene(
        account,
        (
            *PLACES,
            *CROWDED,
            webhook,
            f"/fields/{field.json()['id']}",
            "/classes/a-very-long-name-of-a-class-set",
            *(f"/archives/{row[0]}" for row in archives),
            *(f"/jobs/{row[0]}" for row in newest),
        ),
    )


@pytest.mark.long
@pytest.mark.parametrize("scene_name", ["empty", "crowded"])
def test_no_page_breaks_out_or_is_complained_about(
    browser: Browser, product: Product, scene_name: str, request: pytest.FixtureRequest
) -> None:
    scene: Scene = request.getfixturevalue(scene_name)
    with window(browser, product, scene.account) as (page, complaints):
        faults = [address for address in scene.addresses if breaks_out(page, address)]
    assert faults + complaints == []


def test_a_handful_of_pages_has_no_serious_fault_in_two_looks(
    browser: Browser, product: Product, crowded: Scene
) -> None:
    with window(browser, product, crowded.account) as (page, complaints):
        faults = [
            fault for address in (*HANDFUL, crowded.addresses[-1]) for fault in faults_at(page, address, TWO_LOOKS)
        ]
    assert faults + complaints == []


@pytest.mark.long
@pytest.mark.parametrize("scene_name", ["empty", "crowded"])
def test_no_page_has_a_serious_fault_in_any_look(
    browser: Browser, product: Product, scene_name: str, request: pytest.FixtureRequest
) -> None:
    scene: Scene = request.getfixturevalue(scene_name)
    with window(browser, product, scene.account) as (page, complaints):
        faults = [fault for address in scene.addresses for fault in faults_at(page, address)]
    assert faults + complaints == []


def breaks_out(page: Page, address: str) -> bool:
    """Return whether the page scrolls sideways on a desktop or on a phone. The page is loaded once."""
    page.set_viewport_size(ViewportSize(width=LOOKS[0].width, height=HEIGHT))
    page.goto(address)
    return any(scrolls_sideways(page, look) for look in LOOKS if look.scheme == "light")


def faults_at(page: Page, address: str, looks: Sequence[Look] = LOOKS) -> Iterator[str]:
    page.goto(address)
    yield from (f"{address} at {fault}" for fault in faults_in_looks(page, looks))


@contextmanager
def window(browser: Browser, product: Product, account: Account) -> Iterator[tuple[Page, list[str]]]:
    complaints: list[str] = []
    context = browser.new_context(base_url=product.running.url)
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
    # The missing page is logged as a failed resource, but this check is only for errors of scripts and policies.
    if kind == "error" and "Failed to load resource" not in text:
        complaints.append(text)
