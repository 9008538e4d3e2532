"""Tests of what is stored of a receiver's response."""

import pytest
from pytest_django import Settings

from jobs.webhooks.kept_answers import MAX_CHARACTERS, kept_answer, why_none
from tests.jobs.webhooks.conftest import Post, Receiver


@pytest.mark.parametrize(
    ("status", "allowed", "is_own", "kept"),
    [
        (500, True, False, "no"),
        (404, True, False, "no"),
        (302, True, False, "no"),
        (200, True, False, ""),
        (299, True, False, ""),
        (500, False, False, ""),
        (500, True, True, ""),
        (200, False, True, ""),
    ],
)
def test_only_a_failure_of_somebody_elses_host_is_kept_and_only_where_it_is_allowed(
    status: int, allowed: bool, is_own: bool, kept: str
) -> None:
    assert kept_answer(status, b"no", allowed=allowed, is_own=is_own) == kept


@pytest.mark.parametrize("body", [b"\0\xff" * 5000, "ä€😀".encode() * 3000, b"x" * 2049])
def test_what_is_long_or_binary_is_kept_in_part(body: bytes) -> None:
    kept = kept_answer(500, body, allowed=True, is_own=False)
    assert len(kept) == MAX_CHARACTERS == 2048
    assert "\0" not in kept


@pytest.mark.parametrize(
    ("status", "answer", "allowed", "why"),
    [
        (None, "", True, ""),
        (500, "no", True, ""),
        (500, "no", False, ""),
        (204, "", True, "The body of an answer from 200 to 299 is not kept."),
        (500, "", False, "Bodies of answers are not kept on this installation."),
        (500, "", True, "The body was empty, or was not kept."),
    ],
)
def test_why_there_is_none_is_said(status: int | None, answer: str, allowed: bool, why: str) -> None:
    assert why_none(status, answer, allowed=allowed) == why


@pytest.mark.parametrize("status", [200, 500])
def test_nothing_that_this_machine_answers_is_kept(
    post: Post, receiver: Receiver, settings: Settings, status: int
) -> None:
    settings.MAAS_WEBHOOK_KEEP_ANSWERS = True
    post.endpoint(receiver)
    post.ended_job()
    receiver.status, receiver.answer = status, b"what only we know"
    post.send_due()
    assert [(one.status, one.response_body) for one in post.attempts()] == [(status, "")]
