import pytest

from jobs.idempotency import expiry
from jobs.idempotency.expiry import REMEMBERED, erase_forgotten_keys
from tests.jobs.conftest import Desk

from .conftest import Submit, age_keys, jobs_of, keys_of


def test_keys_are_erased_after_a_day_and_their_jobs_are_not(desk: Desk, submit: Submit) -> None:
    submit(key="old")
    age_keys(desk.identity, REMEMBERED)
    submit(key="new")
    erase_forgotten_keys()
    assert (keys_of(desk.identity), jobs_of(desk.identity)) == (1, 2)


def test_a_round_erases_no_more_than_its_bound(desk: Desk, submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiry, "BATCH", 2)
    monkeypatch.setattr(expiry, "BATCHES", 1)
    erase_forgotten_keys()
    for number in range(3):
        submit(key=f"key-{number}")
    age_keys(desk.identity, REMEMBERED)
    assert erase_forgotten_keys() == 2
    assert erase_forgotten_keys() == 1
