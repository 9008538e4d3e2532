"""Tests of the messages that clients of the event socket send."""

from uuid import UUID

import pytest

from jobs.streaming.consumers import FollowJob, FollowTenant, Ping, parse_message
from tenants.core.errors import DomainError

JOB = UUID(int=7)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (f'{{"subscribe": "{JOB}"}}', FollowJob(JOB, 0)),
        (f'{{"subscribe": "{JOB}", "after": 17}}', FollowJob(JOB, 17)),
        (f'{{"subscribe": "{JOB}", "after": null}}', FollowJob(JOB, 0)),
        ('{"subscribe": "all"}', FollowTenant(None)),
        ('{"subscribe": "all", "after": "12-3"}', FollowTenant("12-3")),
        ('{"ping": true}', Ping()),
    ],
)
def test_a_message_is_read(text: str, meaning: FollowJob | FollowTenant | Ping) -> None:
    assert parse_message(text) == meaning


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "invalid_request"),
        ("garbage", "invalid_request"),
        ("[" * 4000, "invalid_request"),
        ("x" * 5000, "invalid_request"),
        ("null", "invalid_request"),
        ("[]", "invalid_request"),
        ("{}", "invalid_request"),
        ('{"subscribe": 1}', "invalid_request"),
        ('{"ping": "now"}', "invalid_request"),
        ('{"subscribe": "tenant.17"}', "not_found"),
        ('{"subscribe": "all", "after": 17}', "invalid_request"),
        (f'{{"subscribe": "{JOB}", "after": "17"}}', "invalid_request"),
        (f'{{"subscribe": "{JOB}", "after": -1}}', "invalid_request"),
        (f'{{"subscribe": "{JOB}", "after": true}}', "invalid_request"),
        (f'{{"subscribe": "{JOB}", "after": 99999999999}}', "invalid_request"),
    ],
)
def test_anything_else_is_refused(text: str, code: str) -> None:
    with pytest.raises(DomainError) as refused:
        parse_message(text)
    assert refused.value.code == code
