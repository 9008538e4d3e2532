"""Tests that only operators may send large bodies to the admin, and only to the page that takes models."""

import httpx
import pytest
from django.conf import settings
from django.test import Client

from tenants.accounts.models import User
from tenants.accounts.services import create_operator
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.maas.granian_server import GranianServer

UPLOAD = "/admin/inference/servedmodel/add/"


def status_of(server: GranianServer, person: User | None, path: str = UPLOAD) -> int:
    """Send a form that is larger than usual ones. A form without the token of the page is refused, but is read."""
    client = Client()
    if person is not None:
        client.force_login(person)
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    content = b"x" * (settings.MAAS_MAX_INLINE_BYTES + 100_000)
    try:
        answer = httpx.post(f"{server.url}{path}", files={"file": content}, cookies=cookies, timeout=60)
    except httpx.WriteError:
        return 413  # the server has hung up while the body was sent
    return answer.status_code


@pytest.fixture
def person() -> User:
    return create_operator(email=f"{unique('operator')}@example.com", password="correct horse")


def test_an_operator_sends_a_model_to_the_page_for_models_and_nothing_large_elsewhere(
    two_webs: tuple[GranianServer, GranianServer], person: User
) -> None:
    assert status_of(two_webs[0], person) == 403
    assert status_of(two_webs[0], person, "/admin/tenants/tenant/add/") == 413


def test_nobody_else_sends_a_large_body_to_the_admin(
    two_webs: tuple[GranianServer, GranianServer], tenant: CreatedTenant
) -> None:
    assert status_of(two_webs[0], tenant.owner) == 413
    assert status_of(two_webs[0], None) == 413
