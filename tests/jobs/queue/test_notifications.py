from uuid import UUID, uuid4

from jobs.core.priorities import INTERACTIVE, STANDARD
from jobs.queue.notifications import Notification, newcomers_first

FLOOD, ONE, OTHER = uuid4(), uuid4(), uuid4()


def wake(tenant: UUID, newcomer: int | None = None) -> Notification:
    return Notification(uuid4(), tenant, newcomer)


def test_newcomers_come_before_the_rest_which_keeps_its_order() -> None:
    wakes = [wake(FLOOD), wake(ONE, STANDARD), wake(FLOOD), wake(OTHER, STANDARD)]
    assert newcomers_first(wakes) == [wakes[1], wakes[3], wakes[0], wakes[2]]


def test_the_more_urgent_of_them_is_told_before() -> None:
    wakes = [wake(ONE, STANDARD), wake(OTHER, INTERACTIVE)]
    assert newcomers_first(wakes) == wakes[::-1]


def test_of_each_the_most_urgent_page_passes_and_no_other() -> None:
    usual, urgent = wake(ONE, STANDARD), wake(ONE, INTERACTIVE)
    assert newcomers_first([usual, wake(FLOOD), urgent])[0] == urgent
    assert [one.first for one in newcomers_first([usual, urgent])] == [True, False]


def test_nobody_new_nothing_changes() -> None:
    wakes = [wake(FLOOD), wake(ONE), wake(FLOOD)]
    assert newcomers_first(wakes) == wakes
