import dataclasses

import pytest

from jobs.deadlines import Deadlines
from jobs.errors import IdempotencyKeyReused, InvalidRequest
from jobs.idempotency.keys import LONGEST, Asked, checked_key, require_same

ASKED = Asked("parse", {"a": 1, "b": [2]}, None, None, {"text": "hello"}, True)


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
        ("a\tb", r"holds '\t'"),
        ("é", "holds 'é'"),
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
    require_same("k", "one", "one")
    with pytest.raises(IdempotencyKeyReused, match="'k' was sent before with another request"):
        require_same("k", "one", "two")
