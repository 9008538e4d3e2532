"""People see where they are signed in, and end it."""

import re

from django.test import Client

from jobs.streaming.authorizer import good_still
from jobs.streaming.credentials import Credential
from tenants.authentication.selectors import identify_member
from tenants.onboarding.create_tenant import CreatedTenant

PASSWORD = "correct horse"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"


def signed_in(tenant: CreatedTenant, address: str, agent: str = "") -> Client:
    client = Client(REMOTE_ADDR=address, HTTP_USER_AGENT=agent)
    client.post("/sign-in", {"username": tenant.owner.email, "password": PASSWORD})
    return client


def others_at(client: Client) -> list[str]:
    return re.findall(r"/account/sessions/(\d+)/end", client.get("/account/sessions").content.decode())


def test_each_session_is_listed_with_what_it_is(tenant: CreatedTenant) -> None:
    here = signed_in(tenant, "10.57.0.1")
    signed_in(tenant, "10.57.0.2", FIREFOX)
    page = here.get("/account/sessions").content.decode()
    assert "Firefox on Linux" in page
    assert "10.57.0.2" in page
    assert page.count("this session") == 1
    assert len(others_at(here)) == 1


def test_a_session_that_is_ended_is_over_at_once_also_for_what_it_has_open(tenant: CreatedTenant) -> None:
    here, there = signed_in(tenant, "10.57.1.1"), signed_in(tenant, "10.57.1.2")
    identity = identify_member(tenant.owner.id)
    assert identity is not None
    held = Credential(identity, there.session.session_key)
    assert good_still(held)
    (other,) = others_at(here)
    here.post(f"/account/sessions/{other}/end")
    assert there.get("/jobs").status_code == 302
    assert not good_still(held)
    assert here.get("/jobs").status_code == 200
    assert others_at(here) == []


def test_all_others_are_ended_together(tenant: CreatedTenant) -> None:
    here, *there = (signed_in(tenant, f"10.57.2.{number}") for number in (1, 2, 3))
    here.post("/account/sessions/end-others")
    assert [client.get("/jobs").status_code for client in (here, *there)] == [200, 302, 302]


def test_nobody_ends_the_session_of_another(tenant: CreatedTenant, other_tenant: CreatedTenant) -> None:
    here, there = signed_in(tenant, "10.57.3.1"), signed_in(tenant, "10.57.3.2")
    (other,) = others_at(here)
    intruder = signed_in(other_tenant, "10.57.3.3")
    assert intruder.post(f"/account/sessions/{other}/end").status_code == 404
    assert there.get("/jobs").status_code == 200


def test_one_stays_signed_in_where_one_changes_the_password(tenant: CreatedTenant) -> None:
    here, there = signed_in(tenant, "10.57.4.1"), signed_in(tenant, "10.57.4.2")
    here.post("/account/password", {"oldpassword": PASSWORD, "password1": "battery staple"})
    assert here.get("/account/sessions").content.decode().count("this session") == 1
    assert there.get("/jobs").status_code == 302
    assert others_at(here) == []
