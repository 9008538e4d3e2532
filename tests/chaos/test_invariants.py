"""Tests each promise by breaking it once in books that are otherwise in order."""

from dataclasses import replace
from typing import Any

import pytest

from .books import Books, Happening, Job, Money, PageRow, Posted, Seen, Use
from .invariants import broken_promises

pytestmark = pytest.mark.long

PAGE = PageRow(id="p1", number=1, state="succeeded", attempt=1, cost_micros=7)
EVENTS = (
    Happening(1, "job.queued", {}),
    Happening(2, "job.running", {}),
    Happening(3, "page.running", {"page": 1, "attempt": 1}),
    Happening(4, "page.succeeded", {"page": 1}),
    Happening(5, "job.succeeded", {}),
)
JOB = Job("j1", "succeeded", cost_micros=7, pages_succeeded=1, pages_failed=0, pages=(PAGE,), events=EVENTS)
CHARGE = Posted("charge", "job", "j1", {"held": -9, "credit": 2, "revenue": 7})
GOOD = Books(
    accepted={"k1": ("j1", "j1")},
    jobs={"j1": JOB},
    seen={"j1": Seen("succeeded", 7, [(event.seq, event.type) for event in EVENTS])},
    uses=(Use("p1", 7),),
    day_micros=7,
    max_attempts=3,
    money=Money(
        available_micros=93,
        held_micros=0,
        posted=(
            Posted("grant", "grant", "g1", {"credit": 100, "grants": -100}),
            Posted("hold", "job", "j1", {"credit": -9, "held": 9}),
            CHARGE,
        ),
    ),
)


def with_job(**changes: object) -> Books:
    return replace(GOOD, jobs={"j1": replace(JOB, **changes)}, seen={})  # type: ignore[arg-type]


def with_posted(*more: Posted, less: int = 0, **changes: int) -> Books:
    money = GOOD.money
    assert money is not None
    kept = money.posted[: len(money.posted) - less]
    return replace(GOOD, money=replace(money, posted=(*kept, *more), **changes))


def with_page(**changes: object) -> Books:
    return with_job(pages=(replace(PAGE, **changes),))  # type: ignore[arg-type]


def requeued(times: int, **data: object) -> Books:
    """Return books in which the page was taken up and put back that many times before it succeeded."""
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("page.running", {"page": 1}),
        ("page.requeued", {"page": 1, **data}),
    ] * times
    told: list[tuple[str, dict[str, Any]]] = [
        ("job.queued", {}),
        ("job.running", {}),
        *kinds,
        ("page.running", {"page": 1}),
    ]
    told += [("page.succeeded", {"page": 1}), ("job.succeeded", {})]
    return with_job(events=[Happening(seq, kind, about) for seq, (kind, about) in enumerate(told, start=1)])


def rules(books: Books) -> set[str]:
    return {broken.rule for broken in broken_promises(books)}


def test_books_in_order_break_nothing() -> None:
    assert broken_promises(GOOD) == []


@pytest.mark.parametrize(
    ("books", "rule"),
    [
        (replace(GOOD, jobs={}, uses=(), day_micros=0), "lost"),
        (with_job(state="running", events=EVENTS[:4]), "lost"),
        (replace(GOOD, seen={"j1": None}), "lost"),
        (replace(GOOD, unanswered=("k2",)), "refused"),
        (replace(GOOD, accepted={"k1": ("j1", "j2")}), "doubled"),
        (replace(GOOD, accepted={}), "doubled"),
        (with_page(state="running"), "ends"),
        (with_job(pages_succeeded=2), "counters"),
        (replace(GOOD, uses=(Use("p1", 7), Use("p1", 7))), "charged twice"),
        (replace(GOOD, uses=(Use("p1", 7), Use("p9", 7))), "charged twice"),
        (with_page(state="failed"), "charged twice"),
        (replace(GOOD, uses=()), "not charged"),
        (with_job(cost_micros=8), "cost"),
        (with_job(cost_micros=8), "settled"),
        (with_posted(CHARGE), "settled"),
        (with_posted(less=1), "settled"),
        (with_posted(less=1, available_micros=91, held_micros=9), "held"),
        (with_posted(available_micros=94), "wallet"),
        (with_posted(Posted("grant", "grant", "g2", {"credit": 1}), available_micros=94), "ledger"),
        (with_posted(Posted("charge", "call", "c1", {"revenue": 1, "credit": -1})), "revenue"),
        (replace(GOOD, day_micros=14), "days"),
        (replace(GOOD, miscounted=1), "sums"),
        (with_job(events=EVENTS[:3] + EVENTS[4:]), "events"),
        (with_job(events=EVENTS[:4]), "events"),
        (with_job(events=(*EVENTS, Happening(6, "job.succeeded", {}))), "events"),
        (with_job(events=(*EVENTS, Happening(6, "page.running", {"page": 1}))), "events"),
        (with_page(attempt=4), "attempts"),
        (requeued(3, error="worker_lost"), "attempts"),
        (replace(GOOD, seen={"j1": Seen("succeeded", 0, [])}), "shown"),
        (replace(GOOD, seen={"j1": Seen("succeeded", 7, [(1, "job.queued")])}), "shown"),
    ],
)
def test_a_broken_promise_is_found(books: Books, rule: str) -> None:
    assert rule in rules(books)


def test_a_page_may_use_all_its_attempts_and_what_was_handed_back_is_none() -> None:
    assert broken_promises(requeued(2, error="worker_lost")) == []
    assert broken_promises(requeued(9, reason="handed_back")) == []
