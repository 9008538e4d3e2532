"""Tests of keys that are held while no transaction spans the work. Any connection may use a key if its caller shows the
hold.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connections

from jobs.core.errors import RequestInProgress
from jobs.idempotency.expiry import erase_forgotten_keys
from jobs.idempotency.holds import LEASE_S, Hold, let_go, renew
from jobs.idempotency.idempotent_requests import Answered, count_once, hold, made_before, make_in_steps
from jobs.idempotency.keys import Sent
from jobs.idempotency.models import HeldKey
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tests.jobs.conftest import Desk

Way = Callable[[Sent], Any]


def at_once(sent: Sent) -> object:
    return count_once(sent, make=lambda: Answered(1, 202)).made


def in_steps(sent: Sent) -> object:
    return make_in_steps(sent, make=lambda _: Answered(1, 202), look=lambda _: 1).made


def looked_for(sent: Sent) -> object:
    return made_before(sent, lambda _: 1)


WAYS = pytest.mark.parametrize("way", [at_once, in_steps, looked_for, hold])


@pytest.fixture
def sent(desk: Desk) -> Sent:
    return Sent(desk.identity.tenant_id, "upload_document", "order-1", "f" * 64)


def held(sent: Sent) -> Hold:
    taken = hold(sent)
    assert taken is not None
    return taken


def lapse(sent: Sent) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "UPDATE jobs_heldkey SET ends_at = ends_at - make_interval(secs => %s) WHERE tenant_id = %s",
            [LEASE_S, sent.tenant_id],
        )


def is_refused(way: Way, sent: Sent) -> bool:
    try:
        way(sent)
    except RequestInProgress:
        return True
    return False


def holds_of(sent: Sent) -> int:
    with unit_of_work(sent.tenant_id):
        return HeldKey.objects.count()


@WAYS
def test_a_held_key_is_nobody_elses(sent: Sent, way: Way) -> None:
    held(sent)
    with pytest.raises(RequestInProgress, match="is still fetching its file"):
        way(sent)
    assert not is_refused(way, replace(sent, key="order-2"))


@WAYS
def test_a_hold_that_nobody_renews_ends_by_itself(sent: Sent, way: Way) -> None:
    held(sent)
    assert is_refused(way, sent)
    lapse(sent)
    assert not is_refused(way, sent)


def test_whoever_shows_the_hold_goes_on(sent: Sent) -> None:
    own = replace(sent, hold_id=held(sent).id)
    assert at_once(own) == 1
    assert at_once(sent) == 1, "an answer that is there is told, whoever holds the key"


def test_a_hold_of_before_is_no_longer_one(sent: Sent) -> None:
    first = held(sent)
    lapse(sent)
    second = held(sent)
    assert (renew(first), renew(second)) == (False, True)
    with pytest.raises(RequestInProgress):
        at_once(replace(sent, hold_id=first.id))
    let_go(first)
    assert holds_of(sent) == 1
    let_go(second)
    assert at_once(sent) == 1


def test_one_that_lapsed_and_that_nobody_took_is_renewed(sent: Sent) -> None:
    first = held(sent)
    lapse(sent)
    assert renew(first)
    with pytest.raises(RequestInProgress):
        at_once(sent)


def test_a_key_that_has_an_answer_is_not_held(sent: Sent) -> None:
    at_once(sent)
    with pytest.raises(RequestInProgress, match="is in progress"):
        hold(sent)
    assert holds_of(sent) == 0


def test_tests_hold_keys_of_their_own(sent: Sent) -> None:
    held(replace(sent, livemode=False))
    assert at_once(sent) == 1


def test_holds_that_were_left_behind_are_erased(sent: Sent) -> None:
    held(sent)
    erase_forgotten_keys()
    assert holds_of(sent) == 1
    lapse(sent)
    erase_forgotten_keys()
    assert holds_of(sent) == 0


def test_without_a_key_nothing_is_held() -> None:
    assert hold(None) is None
