"""Tests the checks of live events, webhooks, and work other than jobs, by breaking each promise once in good books."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from .books import BatchRow, Books, Broken, Posted, Sync, Use
from .deliveries import Told, broken_deliveries
from .invariants import broken_promises
from .orders import Order, orders_of
from .streams import Heard, broken_streams
from .test_invariants import EVENTS, GOOD, JOB, rules, with_posted

pytestmark = pytest.mark.long

BATCH = BatchRow("b1", "completed", lines=2, completed=2, failed=0, cost_micros=14)
BUSY = replace(
    with_posted(
        Posted("charge", "batch_line", "d1", {"credit": -14, "revenue": 14}),
        Posted("charge", "call", "d2", {"credit": -7, "revenue": 7}),
        available_micros=72,
    ),
    uses=(*GOOD.uses, Use("l1", 7, "batch_line"), Use("l2", 7, "batch_line"), Use("c1", 7, "call")),
    day_micros=28,
    batches={"b1": BATCH},
    accepted_batches={"k9": ("b1",)},
    calls=Sync(sent=2, answered=1),
    orders={"k1": replace(Order.draw(1, 1), row=0, cancels=False)},
)
TOLD = Told("msg_1", "job.succeeded", "j1", genuine=True)
HEARD = tuple(Heard("j1", event.seq, event.type) for event in EVENTS)


def of(found: Iterable[Broken]) -> list[str]:
    return [broken.rule for broken in found]


def test_books_of_all_kinds_of_work_in_order_break_nothing() -> None:
    assert broken_promises(BUSY) == []
    assert of(broken_deliveries({"j1"}, GOOD.jobs, [TOLD, TOLD])) == []
    assert of(broken_streams("stream", (*HEARD[:3], *HEARD), GOOD.jobs)) == []


@pytest.mark.parametrize(
    ("books", "rule"),
    [
        (replace(BUSY, accepted_batches={"k9": ("b1", "b2")}), "doubled"),
        (replace(BUSY, accepted_batches={"k9": ("b2",)}), "lost"),
        (replace(BUSY, batches={"b1": replace(BATCH, status="in_progress")}), "lost"),
        (replace(BUSY, batches={"b1": replace(BATCH, status="expired")}), "ends"),
        (replace(BUSY, batches={"b1": replace(BATCH, lines=3)}), "ends"),
        (replace(BUSY, batches={"b1": replace(BATCH, cost_micros=7)}), "cost"),
        (replace(BUSY, batches={"b1": replace(BATCH, completed=3, lines=3)}), "not charged"),
        (replace(BUSY, uses=(*BUSY.uses, Use("l3", 7, "batch_line")), day_micros=35), "charged twice"),
        (replace(BUSY, calls=Sync(sent=2, answered=2)), "not charged"),
        (replace(BUSY, calls=Sync(sent=0, answered=0)), "charged twice"),
        (replace(BUSY, orders={"k1": replace(BUSY.orders["k1"], row=99)}), "ends"),
    ],
)
def test_a_broken_promise_to_other_work_is_found(books: Books, rule: str) -> None:
    assert rule in rules(books)


def test_calls_may_be_uncharged_where_the_durable_redis_was_made_to_forget() -> None:
    assert broken_promises(replace(BUSY, calls=Sync(sent=2, answered=2, may_be_lost=True))) == []


@pytest.mark.parametrize(
    "arrived",
    [
        [],
        [replace(TOLD, genuine=False)],
        [TOLD, replace(TOLD, message="msg_2")],
        [replace(TOLD, type="job.failed")],
        [TOLD, replace(TOLD, job_id="j2")],
    ],
)
def test_an_end_that_was_told_wrongly_or_to_nobody_is_found(arrived: Sequence[Told]) -> None:
    assert "webhook" in of(broken_deliveries({"j1"}, GOOD.jobs, arrived))


@pytest.mark.parametrize(
    "heard",
    [
        HEARD[:-1],
        (*HEARD[:2], *HEARD[3:]),
        (HEARD[1], HEARD[0], *HEARD[2:]),
        (*HEARD, Heard("j1", 9, "job.failed")),
        (*HEARD, Heard("j2", 1, "job.queued")),
    ],
)
def test_a_stream_with_a_gap_or_out_of_order_is_found(heard: Sequence[Heard]) -> None:
    assert "stream" in of(broken_streams("stream", heard, {"j1": JOB}))


def test_a_seed_says_all_orders_of_every_kind_and_plain_ones_are_small_jobs() -> None:
    orders = orders_of(5, 2000, whole=True)
    assert orders == orders_of(5, 2000, whole=True) != orders_of(6, 2000, whole=True)
    kinds = [(order.calls, order.lines > 0, order.hooked) for order in orders.values()]
    assert min(sum(kind[place] for kind in kinds) for place in range(3)) > 0
    assert {"expired", "canceled"} <= {state for order in orders.values() for state in order.ends}
    plain = orders_of(5, 500, whole=False).values()
    assert all(order.is_job and not order.hooked and order.expires_after_s is None for order in plain)
