"""Test which errors the fuzzer counts as faults of the server."""

import pytest

from tests.clients.server_faults import fault

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("status", "retry_after", "body"),
    [
        (200, (), b"[]"),
        (422, (), b""),
        (503, ("2",), b'{"code": "overloaded"}'),
        (503, ("2",), b'{"error": {"code": "overloaded"}}'),
        (503, ("2",), b'{"error": "Come again.", "code": "overloaded"}'),
        (504, (), b'{"code": "deadline_exceeded"}'),
    ],
)
def test_answers_and_refusals_in_words_are_no_faults(status: int, retry_after: tuple[str, ...], body: bytes) -> None:
    assert fault(status, retry_after, body) is None


@pytest.mark.parametrize(
    ("status", "retry_after", "body"),
    [
        (500, ("2",), b'{"code": "internal_error"}'),
        (503, (), b'{"code": "overloaded"}'),
        (503, ("soon",), b'{"code": "overloaded"}'),
        (503, ("2",), b"<html>"),
        (503, ("2",), b'{"code": "database_unavailable"}'),
        (504, (), b"<html>"),
        (504, (), b"[]"),
    ],
)
def test_a_crash_and_a_refusal_that_does_not_say_when_to_come_again_are_faults(
    status: int, retry_after: tuple[str, ...], body: bytes
) -> None:
    assert fault(status, retry_after, body) is not None
