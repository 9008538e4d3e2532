"""Tests of what a `Prefer` header requests."""

import pytest

from jobs.streaming.preferences import wait_asked_s


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        (["wait=30"], 30),
        (["WAIT = 5"], 5),
        (['wait="7"'], 7),
        (["wait=0"], 0),
        (["wait=61"], 60),
        (["wait=999999999"], 60),
        (["respond-async, wait=10"], 10),
        (["respond-async", "wait=10"], 10),
        (["return=minimal; x=1, wait=3; foo"], 3),
        (["wait=1, wait=2"], 1),
    ],
)
def test_a_wait_is_read_as_rfc_7240_says(headers: list[str], seconds: int) -> None:
    assert wait_asked_s(headers) == seconds


@pytest.mark.parametrize(
    "headers",
    [[], [""], ["respond-async"], ["wait"], ["wait="], ["wait=-1"], ["wait=1.5"], ["waits=3"], ["wait=²"]],
)
def test_anything_else_asks_for_no_wait(headers: list[str]) -> None:
    assert wait_asked_s(headers) is None
