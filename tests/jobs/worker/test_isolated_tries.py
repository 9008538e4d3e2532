"""Test that one page at a time is in hand of those on which workers died. Only the claim shows which pages these
are.
"""

from collections.abc import Callable

import pytest
from django.conf import settings

from jobs.queue.claims import Claim
from jobs.worker.isolated_tries import MayApart, OneApart
from tests.jobs.conftest import Desk
from tests.jobs.queue.conftest import elsewhere


@pytest.fixture
def fresh(desk: Desk) -> Claim:
    return desk.claimed(desk.pages(desk.submit())[0])


@pytest.fixture
def suspect(desk: Desk) -> Claim:
    page = desk.pages(desk.submit())[0]
    for _ in range(settings.MAAS_MAX_ATTEMPTS - 1):
        desk.claimed(page)
        desk.expire_lease(page)
    return desk.claimed(page)


def asking(claim: Claim) -> Callable[[MayApart], Claim]:
    """Return a function that asks like `claim_page` does for a page whose last try it may be."""

    def ask(may_apart: MayApart) -> Claim:
        assert may_apart()
        return claim

    return ask


def may_take(one: OneApart) -> bool:
    """Return the answer that another thread gets. The thread that holds the lock could not take it twice either."""

    def ask() -> bool:
        told: list[bool] = []
        with one.claimed(lambda may_apart: told.append(may_apart())):
            return told[0]

    return elsewhere(ask)


def test_while_one_is_in_hand_no_other_may_be_taken(suspect: Claim) -> None:
    one = OneApart()
    with one.claimed(asking(suspect)) as claim:
        assert claim is suspect
        assert may_take(one) is False
    assert may_take(one) is True


def test_pages_without_a_past_hold_up_nobody(fresh: Claim) -> None:
    one = OneApart()
    with one.claimed(asking(fresh)):
        assert may_take(one) is True


def test_a_claim_or_a_page_that_fails_lets_go(suspect: Claim) -> None:
    one = OneApart()

    def fails(may_apart: MayApart) -> Claim:
        assert may_apart()
        raise OSError("away")

    with pytest.raises(OSError, match="away"), one.claimed(fails):
        pass
    with pytest.raises(RuntimeError), one.claimed(asking(suspect)):
        raise RuntimeError
    assert may_take(one) is True
