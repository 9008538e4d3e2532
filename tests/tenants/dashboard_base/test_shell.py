"""The frame around every page, and the account that a person with several of them acts for."""

import pytest
from django.test import Client

from tenants.accounts.models import Membership
from tenants.core.db.unit_of_work import unit_of_work
from tenants.dashboard_base.shell import PLACES, Link, NavEntry, menu_of
from tenants.onboarding.create_tenant import CreatedTenant


def html(client: Client) -> str:
    return client.get("/jobs").content.decode()


def test_the_place_where_one_is_is_marked(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert '<a href="/jobs" aria-current="page">' in html(client)
    assert '<a href="/models" aria-current="page">' in client.get("/own-models/new").content.decode()


def test_a_role_sees_only_the_places_it_may_enter(client: Client, tenant: CreatedTenant) -> None:
    client.force_login(tenant.owner)
    assert 'href="/keys"' in html(client)
    with unit_of_work(tenant.tenant.id):
        Membership.objects.update(role=Membership.Role.VIEWER)
    assert 'href="/keys"' not in html(client)


def test_one_may_switch_to_another_of_ones_accounts(both: Client, other_tenant: CreatedTenant) -> None:
    assert f"Switch to {other_tenant.tenant.name}" in html(both)
    both.post("/tenant", {"tenant": str(other_tenant.tenant.id)})
    assert f"viewer of {other_tenant.tenant.name}" in html(both)


def test_the_chosen_account_also_holds_for_the_api(both: Client, other_tenant: CreatedTenant) -> None:
    both.post("/tenant", {"tenant": str(other_tenant.tenant.id)})
    refused = both.post("/v1/jobs", {"model": "embed", "input": "x"}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")


def test_nobody_switches_to_an_account_that_is_not_theirs(
    client: Client, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    client.force_login(tenant.owner)
    assert client.post("/tenant", {"tenant": str(other_tenant.tenant.id)}).status_code == 404
    assert client.post("/tenant", {"tenant": "no id"}).status_code == 404
    assert f"owner of {tenant.tenant.name}" in html(client)


@pytest.mark.parametrize(
    ("links", "in_bar", "behind"), [(0, 0, 0), (1, 1, 0), (4, 4, 0), (5, 5, 0), (6, 4, 2), (10, 4, 6)]
)
def test_a_phones_bar_holds_four_links_and_a_button_for_more_than_one_other(
    links: int, in_bar: int, behind: int
) -> None:
    menu = menu_of([Link(str(number), f"/{number}", "", here=False) for number in range(links)])
    assert (len(menu.first), len(menu.rest)) == (in_bar, behind)


def test_the_button_for_other_links_is_marked_on_their_pages(member: Client) -> None:
    assert 'popovertarget="more-places">' in html(member)
    assert 'popovertarget="more-places" aria-current="true">' in member.get("/audit").content.decode()


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.title)
def test_a_page_is_called_as_the_link_that_leads_to_it(member: Client, place: NavEntry) -> None:
    page = member.get(place.path).content.decode()
    assert f"<h1>{place.title}</h1>" in page
    assert f"<title>{place.title}" in page
