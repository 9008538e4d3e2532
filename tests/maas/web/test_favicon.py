"""Tests of the icon at the address where browsers look for it by themselves."""

from django.contrib.staticfiles import finders
from django.test import Client


def test_favicon_leads_to_the_icon_of_pages_without_signing_in(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/static/maas/icon.svg")
    assert finders.find("maas/icon.svg") is not None
    assert client.post("/favicon.ico").status_code == 405
