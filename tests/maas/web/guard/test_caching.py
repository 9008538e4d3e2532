"""Tests of who may cache what."""

import httpx
import pytest

from maas.web.guard.caching import NOTHING, with_caching
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer


@pytest.mark.parametrize(
    ("path", "kind", "kept"),
    [
        ("/v1/jobs", b"application/json", False),
        ("/v1/jobs", b"Application/JSON; charset=utf-8", False),
        ("/v1/jobs", b"application/problem+json", False),
        ("/v1/documents/1/pages/1/picture", b"image/png", True),
        ("/static/app.json", b"application/json", True),
    ],
)
def test_json_of_the_api_is_kept_by_nobody(path: str, kind: bytes, kept: bool) -> None:
    headers = [(b"Content-Type", kind)]
    assert with_caching(path, headers) == (headers if kept else [*headers, NOTHING])


def test_what_an_answer_says_itself_stands() -> None:
    headers = [(b"content-type", b"application/json"), (b"Cache-Control", b"max-age=60")]
    assert with_caching("/v1/models", headers) == headers


def test_answers_and_refusals_of_the_api_say_so(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    good = {"Authorization": f"Bearer {tenant.key.text}"}
    for headers in (good, {"Authorization": "Bearer maas_live_wrong"}):
        answer = httpx.get(f"{telling_server.url}/v1/echo", headers=headers)
        assert "no-store" in answer.headers["cache-control"]
    assert "cache-control" not in httpx.get(f"{telling_server.url}/echo").headers
