"""Tests of the quickstart: a key is created on the page, and the code that the page shows works unchanged."""

import re
import shutil
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from jobs.dashboard.quickstart.views import KEY_SCOPES, PLACEHOLDER
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import MAX_WORKING_KEYS, create_key
from tenants.authentication.selectors import identify_key
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.flows.product import Product
from tests.flows.signing_in import signed_in
from tests.jobs.conftest import Desk
from tests.jobs.dashboard.catalog.snippets.test_running import said_by
from tests.live_stack import RunningStack

LANGUAGES = ("curl", "python", "javascript")
KEY = re.compile(r"maas_test_\w{12}_\w{38}")


def code_of(page: str, language: str) -> str:
    """Return the code that the button beside it copies."""
    shown = re.search(rf'<code id="code-{language}">(.*?)</code>', page, re.DOTALL)
    assert shown
    return unescape(re.sub(r"<[^>]+>", "", shown[1]))


def test_the_key_that_is_made_is_in_all_the_code_and_is_shown_once(
    member: Client, desk: Desk, tenant: CreatedTenant
) -> None:
    before = member.get("/quickstart").content.decode()
    assert all(PLACEHOLDER in code_of(before, language) for language in LANGUAGES)
    answer = member.post("/quickstart")
    page = answer.content.decode()
    (key,) = set(KEY.findall(page))
    assert all(key in code_of(page, language) for language in LANGUAGES)
    assert "no-store" in answer["Cache-Control"]
    assert KEY.search(member.get("/quickstart").content.decode()) is None
    identity = identify_key(key)
    assert (identity.tenant_id, identity.livemode) == (tenant.tenant.id, False)
    assert identity.scopes == frozenset(KEY_SCOPES)


def test_a_role_that_may_make_no_keys_is_told_so(viewer: Client, desk: Desk) -> None:
    page = viewer.get("/quickstart").content.decode()
    assert "Your role cannot create API keys." in page
    assert "Create test key" not in page
    assert PLACEHOLDER in code_of(page, "curl")
    assert viewer.post("/quickstart").status_code == 403


def test_an_account_that_is_full_of_keys_is_told_so(member: Client, desk: Desk, tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        for number in range(MAX_WORKING_KEYS - ApiKey.objects.count()):
            create_key(tenant_id=tenant.tenant.id, name=str(number))
    answer = member.post("/quickstart")
    assert answer.status_code == 422
    assert f"{MAX_WORKING_KEYS} active keys" in answer.content.decode()


@pytest.mark.parametrize(
    "language", ["curl", *(pytest.param(one, marks=pytest.mark.long) for one in ("python", "javascript"))]
)
def test_the_code_reads_the_sample_as_it_is_shown(live_stack: RunningStack, tmp_path: Path, language: str) -> None:
    if language == "javascript" and shutil.which("node") is None:
        pytest.skip("there is no node")
    product = Product(live_stack)
    with signed_in(product, product.create_account("Beginner")) as browser:
        headers = {"Referer": str(browser.base_url), "X-CSRFToken": browser.cookies["csrftoken"]}
        page = browser.post("/quickstart", headers=headers).text
    assert "INVOICE 2026-0417" in said_by(language, code_of(page, language), tmp_path)
