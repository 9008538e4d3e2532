"""Tests of `expires_after` and `Cancel-After` of `POST /v1/jobs`, through Django itself."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.jobs.api.conftest import send_job
from tests.jobs.conftest import Desk

Post = Callable[..., Any]


@pytest.fixture
def post(desk: Desk) -> Post:
    def send(cancel_after: str | None = None, **fields: Any) -> Any:
        return send_job(desk, {} if cancel_after is None else {"Cancel-After": cancel_after}, **fields)

    return send


def test_a_job_says_by_when_it_must_be_done(post: Post) -> None:
    said = post("15m", expires_after=60).json()
    expires, cancels = (datetime.fromisoformat(said[name]) for name in ("expires_at", "cancel_at"))
    assert (cancels - expires).total_seconds() == 840


def test_a_job_without_a_time_says_so(post: Post) -> None:
    said = post().json()
    assert (said["expires_at"], said["cancel_at"]) == (None, None)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("soon", "Cancel-After: 'soon' is not a valid duration"),
        ("31d", "Cancel-After: 2678400 seconds is out"),
    ],
)
def test_a_header_that_is_no_time_is_refused_by_name(post: Post, header: str, words: str) -> None:
    refused = post(header)
    assert refused.status_code == 400
    assert words in refused.json()["detail"]


@pytest.mark.parametrize("seconds", [0, -1, 2_592_001, "soon", 1.5])
def test_a_field_that_is_no_time_is_refused_by_name(post: Post, seconds: object) -> None:
    refused = post(expires_after=seconds)
    assert refused.status_code == 400
    assert "expires_after" in str(refused.json())
