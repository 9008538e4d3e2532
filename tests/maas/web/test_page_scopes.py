import pytest
from django.urls import get_resolver

from maas.web.page_scopes import scope_of
from tenants.core.db.unit_of_work import account_work, operator_work
from tests.isolation.test_roles import addresses

OF_ACCOUNTS = ("account", "confirm-email", "password", "shut", "sign-in", "sign-out", "sign-up")
JOINING = "/invitations/accept/<str:token>"


@pytest.mark.parametrize("path", sorted(set(addresses(get_resolver()))))
def test_only_signing_in_and_peoples_own_pages_act_as_the_account_role(path: str) -> None:
    first = path.split("/")[1]
    expected = account_work if first in OF_ACCOUNTS or path == JOINING else None
    assert scope_of(path) is (operator_work if first == "admin" else expected)
