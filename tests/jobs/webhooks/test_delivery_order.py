from uuid import UUID

import pytest

from jobs.webhooks.delivery_order import (
    DOUBTFUL_PER_TENANT,
    EXTRA,
    EXTRA_PER_TENANT,
    PER_ENDPOINT,
    PER_TENANT,
    WIDEST,
    DeliveryQueue,
    Standing,
    Waiting,
    chosen,
)

A, B = UUID(int=1), UUID(int=2)
ROOM = {"room": 100, "doubtful_room": 100}


def lane(
    number: int, standing: Standing = Standing.ANSWERS, tenant: UUID = A, width: int = PER_ENDPOINT
) -> DeliveryQueue:
    return DeliveryQueue(UUID(int=100 + number), tenant, standing, width)


def waiting(*lanes: DeliveryQueue) -> list[Waiting]:
    return [Waiting(UUID(int=1000 + place), one) for place, one in enumerate(lanes)]


def places(ids: list[UUID]) -> list[int]:
    return [one.int - 1000 for one in ids]


def test_an_endpoint_that_answers_goes_before_one_that_is_new_and_that_before_one_that_fails() -> None:
    due = waiting(lane(1, Standing.FAILS), lane(2, Standing.NEW), lane(3))
    assert places(chosen(due, [], **ROOM)) == [2, 1, 0]


def test_each_endpoints_first_goes_before_anyones_second() -> None:
    assert places(chosen(waiting(lane(1), lane(1), lane(2)), [], **ROOM)) == [0, 2, 1]


def test_an_endpoint_has_no_more_than_its_bound_under_way() -> None:
    one = lane(1)
    assert len(chosen(waiting(*[one] * 5), [], **ROOM)) == PER_ENDPOINT
    assert len(chosen(waiting(*[one] * 5), [one], **ROOM)) == PER_ENDPOINT - 1


def test_an_endpoint_that_answers_fast_has_as_many_as_it_is_wide() -> None:
    wide, narrow = lane(1, width=WIDEST), lane(2, width=1)
    assert len(chosen(waiting(*[wide] * 20), [], **ROOM)) == WIDEST
    assert len(chosen(waiting(*[wide] * 20), [wide] * 3, **ROOM)) == WIDEST - 3
    assert len(chosen(waiting(*[narrow] * 20), [], **ROOM)) == 1


def test_one_that_has_begun_to_fail_has_no_extra_whatever_it_had() -> None:
    assert len(chosen(waiting(*[lane(1, Standing.FAILS, width=WIDEST)] * 20), [], **ROOM)) == PER_ENDPOINT


def test_what_is_extra_of_wide_endpoints_that_hang_takes_no_place_of_their_tenants_others() -> None:
    hanging = [lane(1, width=WIDEST)] * WIDEST
    others = [lane(10 + number) for number in range(PER_TENANT - PER_ENDPOINT)]
    assert len(chosen(waiting(*others), hanging, **ROOM)) == len(others)


def test_what_is_extra_is_bounded_for_a_tenant_and_for_all() -> None:
    of_one = [lane(number, width=WIDEST) for number in range(3) for _ in range(WIDEST)]
    assert len(chosen(waiting(*of_one), [], **ROOM)) == 3 * PER_ENDPOINT + EXTRA_PER_TENANT
    of_many = [lane(number, tenant=UUID(int=700 + number), width=WIDEST) for number in range(9) for _ in range(WIDEST)]
    assert len(chosen(waiting(*of_many), [], **ROOM)) == 9 * PER_ENDPOINT + EXTRA


def test_a_tenant_has_no_more_than_its_bound_under_way() -> None:
    due = waiting(*[lane(number) for number in range(20)])
    assert len(chosen(due, [lane(50)] * 2, **ROOM)) == PER_TENANT - 2


def test_endpoints_that_may_hang_leave_their_tenant_room_for_those_that_answer() -> None:
    due = waiting(*[lane(number, Standing.FAILS) for number in range(20)], lane(50))
    taken = places(chosen(due, [], **ROOM))
    assert taken[0] == 20
    assert len(taken) == 1 + DOUBTFUL_PER_TENANT


def test_fifty_dead_endpoints_leave_room_for_those_that_answer() -> None:
    dead = [lane(number, Standing.FAILS, UUID(int=500 + number)) for number in range(50)]
    taken = places(chosen(waiting(*dead, lane(90)), [], room=32, doubtful_room=16))
    assert 50 in taken
    assert len(taken) == 17


@pytest.mark.parametrize("standing", list(Standing))
def test_the_backlog_of_some_tenants_never_keeps_a_newcomer_waiting_longer_than_for_the_next_thread(
    standing: Standing,
) -> None:
    """The result does not depend on the expected behavior of the newcomer's endpoint."""
    slow = [lane(number, standing, UUID(int=500 + number % 5)) for number in range(50)]
    backlog = [one for one in slow for _ in range(100)]
    under_way = [slow[place] for place in _first(chosen(waiting(*backlog), [], room=32, doubtful_room=16), backlog)]
    newcomer = lane(99, standing, UUID(int=600))
    due = waiting(*backlog, newcomer)
    under_way.pop()
    assert places(chosen(due, under_way, room=1, doubtful_room=1)) == [len(backlog)]


def _first(ids: list[UUID], backlog: list[DeliveryQueue]) -> list[int]:
    """Return which of the fifty endpoints each id belongs to."""
    return [place // 100 for place in places(ids)]


@pytest.mark.parametrize("room", [0, 1, 3])
def test_no_more_is_taken_than_there_is_room_for(room: int) -> None:
    due = waiting(*[lane(number) for number in range(5)])
    assert places(chosen(due, [], room=room, doubtful_room=room)) == list(range(room))


def test_nobody_is_held_up_by_another_tenants_bound() -> None:
    due = waiting(*[lane(number) for number in range(20)], lane(60, tenant=B))
    assert 20 in places(chosen(due, [], **ROOM))
