"""Test large files of the dashboard if storage is S3 (a stand-in on this machine) and accepts them directly from
browsers.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.configured import GROUP, Configured
from tests.browser.conftest import TIMEOUT_MS, Windows
from tests.browser.test_large_uploads import large
from tests.browser.test_uploads import line
from tests.flows.product import Account, Product
from tests.stand_in_s3 import Bucket

__all__ = ["large"]
pytestmark = [pytest.mark.browser, GROUP]
PART = 16 * 2**20


@pytest.fixture(scope="module")
def bucket(configured: Configured) -> Bucket:
    return configured.bucket


@pytest.fixture(scope="module")
def product(configured: Configured) -> Product:
    return configured.product


@pytest.fixture
def windows(browser: Browser, product: Product) -> Windows:
    expect.set_options(timeout=TIMEOUT_MS)
    return Windows(browser, product.running)


@pytest.fixture
def account(product: Product) -> Account:
    return product.create_account("Hauler")


@pytest.mark.long
def test_a_large_file_goes_to_the_storage_itself_and_goes_on_after_a_reload(
    windows: Windows, product: Product, account: Account, large: Path, bucket: Bucket
) -> None:
    sent: list[str] = []

    def first_alone(route: Route) -> None:
        if route.request.method == "OPTIONS":
            route.continue_()
            return
        sent.append(route.request.method)
        if len(sent) == 2:
            route.abort("connectionreset")
        else:
            assert not {"x-csrftoken", "x-tenant", "cookie"} & route.request.all_headers().keys()
            route.continue_()

    with windows.owner(account) as tab:
        tab.route(f"{bucket.endpoint}/**", first_alone)
        tab.set_input_files("#file", large)
        expect(line(tab, "large.pdf").locator(".words")).to_contain_text("Continuing in")
        tab.on("dialog", lambda dialog: dialog.accept())
        tab.reload()
        expect(line(tab, "large.pdf").locator(".words")).to_contain_text("88 % uploaded")
        tab.set_input_files("#file", large)
        expect(line(tab, "large.pdf")).to_have_class("accepted")
    assert sent == ["PUT"] * 3
    assert [one["parts"] for one in uploads_of(product, account)] == [{"total": 2, "bytes": PART}]


@pytest.mark.long
def test_a_storage_that_takes_nothing_from_the_page_leaves_the_service_to_take_it(
    windows: Windows, product: Product, account: Account, large: Path, bucket: Bucket
) -> None:
    with windows.owner(account) as tab:
        tab.route(f"{bucket.endpoint}/**", lambda route: route.abort("failed"))
        tab.set_input_files("#file", large)
        expect(line(tab, "large.pdf")).to_have_class("accepted")
    by_tus, direct = uploads_of(product, account)
    assert (by_tus["state"], by_tus["parts"], direct["state"]) == ("ready", None, "terminated")


def uploads_of(product: Product, account: Account) -> list[dict[str, object]]:
    with product.caller(account) as caller:
        found: list[dict[str, object]] = caller.get("/v1/uploads")["data"]
    return found
