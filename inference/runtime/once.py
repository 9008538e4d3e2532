"""Values that are dear to make and small to keep: made once per key, however many threads ask."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from inference.core.calls import Call
from inference.core.errors import CallCanceled, DeadlinePassed, ModelOverloaded

Value = TypeVar("Value")


class OncePerKey(Generic[Value]):
    """Keeps the `capacity` values used last. Whoever asks for one key never waits for the making of another."""

    def __init__(self, *, capacity: int = 16) -> None:
        self._capacity = capacity
        self._values: OrderedDict[str, Future[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, make: Callable[[], Value], call: Call | None = None) -> Value:
        """`make` runs in the first asker's thread and may end with his `call`; the next asker then makes it himself."""
        call = call or Call()
        while True:
            value, is_mine_to_make = self._of(key)
            if is_mine_to_make:
                self._fill(key, value, make)
                return value.result()
            try:
                return call.result_of(value)
            except (CallCanceled, DeadlinePassed, ModelOverloaded):
                # What befell another's call says nothing of this one.
                call.check()

    def peek(self, key: str) -> Value | None:
        """What is there already."""
        with self._lock:
            value = self._values.get(key)
            if value is None or not value.done() or value.exception() is not None:
                return None
            self._values.move_to_end(key)
        return value.result()

    def _of(self, key: str) -> "tuple[Future[Value], bool]":
        """The value, there or on its way, and whether it is the asker's to make."""
        with self._lock:
            value = self._values.get(key)
            is_new = value is None
            if value is None:
                value = self._values[key] = Future()
            self._values.move_to_end(key)
            while len(self._values) > self._capacity:
                self._values.popitem(last=False)
        return value, is_new

    def _fill(self, key: str, value: "Future[Value]", make: Callable[[], Value]) -> None:
        """Whatever happens, those who wait learn of it; after a failure the next one tries again."""
        try:
            value.set_result(make())
        except BaseException as error:
            with self._lock:
                if self._values.get(key) is value:
                    del self._values[key]
            value.set_exception(error)
