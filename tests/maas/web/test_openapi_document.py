"""Tests that `/v1/openapi.json` is made once, and is not sent to clients that have it."""

import pytest
from django.test import Client

from maas.web.openapi_document import written


def test_the_document_is_made_once_and_sent_with_its_version() -> None:
    first, again = (Client().get("/v1/openapi.json") for _ in range(2))
    assert first.content == again.content == written().content
    assert written() is written()
    assert first.json()["openapi"].startswith("3.1")
    assert (first["ETag"], first["Cache-Control"]) == (written().etag, "no-cache")


@pytest.mark.parametrize("weak", ["", "W/"])
def test_who_has_this_version_is_sent_nothing(weak: str) -> None:
    known = f"{weak}{written().etag}"
    answer = Client().get("/v1/openapi.json", headers={"If-None-Match": known})
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer["ETag"] == written().etag


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("*/*", "application/vnd.oai.openapi+json"),
        ("application/json", "application/json"),
        ("text/html,*/*;q=0.8", "application/vnd.oai.openapi+json"),
    ],
)
def test_both_media_types_are_given(accept: str, kind: str) -> None:
    answer = Client().get("/v1/openapi.json", headers={"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (200, kind)
