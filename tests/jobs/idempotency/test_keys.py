import dataclasses

import pytest

from jobs.core.deadlines import Deadlines
from jobs.core.errors import IdempotencyKeyReused
from jobs.idempotency.keys import LONGEST, KeyedRequest, Sent, checked_key, fingerprint_of, require_same
from tenants.core.errors import InvalidRequest
from tenants.core.ids import uuid7

SENT = Sent(uuid7(), "retry_job", "k", "one")
ASKED = KeyedRequest("parse", {"a": 1, "b": [2]}, None, None, {"text": "hello"}, True)


@pytest.mark.parametrize("key", ["a", "~" * LONGEST, '"quoted"', "with a space"])
def test_printable_ascii_is_a_key(key: str) -> None:
    assert checked_key(key) == key


def test_no_header_is_no_key() -> None:
    assert checked_key(None) is None


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("", "has 0 characters"),
        ("k" * 256, "has 256 characters"),
        ("a\tb", r"contains '\t'"),
        ("é", "contains 'é'"),
    ],
    ids=["empty", "long", "tab", "accent"],
)
def test_anything_else_is_refused_with_what_was_wrong(key: str, words: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        checked_key(key)
    assert words in refused.value.detail


def test_the_order_of_parameters_does_not_make_another_request() -> None:
    assert dataclasses.replace(ASKED, parameters={"b": [2], "a": 1}).fingerprint() == ASKED.fingerprint()


@pytest.mark.parametrize(
    "change",
    [
        {"model": "parse@1"},
        {"parameters": {"a": 1}},
        {"document_id": "d"},
        {"content_sha256": "d"},
        {"input": {"text": "hello "}},
        {"livemode": False},
        {"priority": 1},
        {"deadlines": Deadlines(expires_after_s=60)},
        {"webhook_url": "https://example.com/hook"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_decides_the_job_makes_another_request(change: dict[str, object]) -> None:
    changed = dataclasses.replace(ASKED, **change)  # type: ignore[arg-type]
    assert changed.fingerprint() != ASKED.fingerprint()


def test_a_key_that_stands_for_another_request_is_refused_by_name() -> None:
    require_same(SENT, "retry_job", "one")
    with pytest.raises(IdempotencyKeyReused, match=r"'k' was already used with a different request\. Use"):
        require_same(SENT, "retry_job", "two")


def test_a_key_that_stands_for_another_operation_is_refused_with_its_name() -> None:
    with pytest.raises(IdempotencyKeyReused, match=r"with a different request \(submit_job\)"):
        require_same(SENT, "submit_job", "one")


def test_a_key_locks_the_same_for_each_of_its_tenants_requests_and_for_no_others() -> None:
    assert dataclasses.replace(SENT, fingerprint="two", operation="submit_job").lock_id == SENT.lock_id
    assert dataclasses.replace(SENT, key="l").lock_id != SENT.lock_id
    assert dataclasses.replace(SENT, tenant_id=uuid7()).lock_id != SENT.lock_id
    assert -(2**63) <= SENT.lock_id < 2**63


def test_what_is_not_said_makes_another_request_than_what_is() -> None:
    assert fingerprint_of({"metadata": None}) != fingerprint_of({"metadata": {}})
