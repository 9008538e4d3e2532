"""Provide an actor that records its messages, and that a test can delay."""

import threading
import time
from collections.abc import Callable, Iterable

import dramatiq

from inference.workers.brokers import PAGE_ACTOR, publish

TIMEOUT_S = 15.0


class Recorder:
    """A recorder that is registered on a broker as the page actor."""

    def __init__(self, broker: dramatiq.Broker) -> None:
        self.started: list[str] = []
        self.finished: list[str] = []
        self.may_finish = threading.Event()
        self.may_finish.set()
        self._changed = threading.Condition()
        dramatiq.actor(actor_name=PAGE_ACTOR, broker=broker)(self._run)

    def _run(self, page_id: str) -> None:
        self._note(self.started, page_id)
        self.may_finish.wait(TIMEOUT_S)
        self._note(self.finished, page_id)

    def _note(self, pages: list[str], page_id: str) -> None:
        with self._changed:
            pages.append(page_id)
            self._changed.notify_all()

    def wait_started(self, count: int) -> list[str]:
        return self._wait(self.started, count)

    def wait_finished(self, count: int) -> list[str]:
        return self._wait(self.finished, count)

    def _wait(self, pages: list[str], count: int) -> list[str]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(pages) >= count, TIMEOUT_S), f"only {pages}"
            return list(pages)


def publish_all(broker: dramatiq.Broker, queue_name: str, pages: Iterable[str]) -> None:
    for page in pages:
        publish(broker, queue_name, {"page_id": page})


def eventually(holds: Callable[[], bool], within_s: float = TIMEOUT_S) -> bool:
    """Wait until the condition holds, for states of a server that cannot notify the test."""
    deadline = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.01)
    return True
