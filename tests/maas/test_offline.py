"""Tests of the offline page and its worker: complete, without private data, and new if anything in them is."""

import json
import re

from django.contrib.staticfiles import finders
from django.test import Client

from maas.web.offline import views


def parts_of(program: str) -> list[str]:
    found = re.search(r"^const PARTS = (.*);$", program, re.MULTILINE)
    assert found
    return list(json.loads(found[1]))


def test_the_worker_serves_from_the_root_and_is_looked_for_again(client: Client) -> None:
    answer = client.get("/service-worker.js")
    assert answer["Content-Type"] == "text/javascript"
    assert answer["Cache-Control"] == "no-cache"
    assert "default-src 'self'" in answer["Content-Security-Policy"]


def test_the_offline_page_needs_nothing_that_is_not_kept(client: Client) -> None:
    kept = parts_of(client.get("/service-worker.js").content.decode())
    page = client.get("/offline").content.decode()
    needed = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert sorted(set(needed)) == sorted(kept)
    assert all(finders.find(part.removeprefix("/static/").removesuffix("?offline")) for part in kept)


def test_the_offline_page_is_the_same_for_everybody(client: Client) -> None:
    answer = client.get("/offline")
    assert "csrfmiddlewaretoken" not in answer.content.decode()
    assert not answer.cookies


def test_a_change_to_what_is_kept_makes_a_new_worker() -> None:
    program = "self.oninstall = 1"
    assert views._version(program) == views._version(program)
    assert views._version(program) != views._version(program + ";")


def test_favicon_leads_to_the_icon_of_pages_without_signing_in(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/static/maas/icon.svg")
    assert finders.find("maas/icon.svg") is not None
    assert client.post("/favicon.ico").status_code == 405
