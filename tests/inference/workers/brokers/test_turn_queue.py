"""Test which tenant's fetched message a worker's thread begins next."""

from dataclasses import dataclass, field
from queue import Empty

import pytest

from inference.workers.brokers.turn_queue import TurnQueue


@dataclass(frozen=True)
class Fetched:
    queue_name: str


@dataclass(frozen=True, order=True)
class Item:
    place: int
    message: Fetched = field(compare=False)


def fetched(*queue_names: str) -> TurnQueue:
    queue = TurnQueue()
    for place, name in enumerate(queue_names):
        queue.put(Item(place, Fetched(name)))  # type: ignore[arg-type]
    return queue


def taken(queue: TurnQueue, many: int) -> list[tuple[str, int]]:
    items = [queue.get_nowait() for _ in range(many)]
    return [(item.message.queue_name, item.place) for item in items]  # type: ignore[attr-defined]


def test_one_message_of_a_sixth_model_waits_for_one_of_each_of_five_that_are_flooded_at_most() -> None:
    floods = ["a", "b", "c", "d", "e"]
    queue = fetched(*(name for name in floods for _ in range(16)))
    taken(queue, 7)
    queue.put(Item(1000, Fetched("sixth")))  # type: ignore[arg-type]
    assert taken(queue, 1) == [("sixth", 1000)]


def test_queues_take_turns_and_each_keeps_its_order() -> None:
    queue = fetched("a", "a", "a", "b", "b", "c")
    assert taken(queue, 6) == [("a", 0), ("b", 3), ("c", 5), ("a", 1), ("b", 4), ("a", 2)]


def test_nothing_is_lost_or_left_over() -> None:
    queue = fetched(*"abcabcaab")
    assert queue.qsize() == 9
    assert sorted(place for _, place in taken(queue, 9)) == list(range(9))
    assert queue.empty()
    with pytest.raises(Empty):
        queue.get_nowait()


def test_a_queue_that_was_left_is_forgotten() -> None:
    queue = fetched("a", "b")
    taken(queue, 2)
    queue.forget({"a"})
    assert set(queue._served) == {"b"}
