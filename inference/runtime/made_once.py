"""Values that are expensive to make and small to keep. Each is made once per key for all callers."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from inference.core.calls import Call
from inference.core.errors import CallCanceled, DeadlinePassed, ModelOverloaded

Value = TypeVar("Value")


class OncePerKey(Generic[Value]):
    """A cache of the `capacity` values used last. A caller never waits for the value of another key."""

    def __init__(self, *, capacity: int = 16) -> None:
        self._capacity = capacity
        self._values: OrderedDict[str, Future[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, make: Callable[[], Value], call: Call | None = None) -> Value:
        """Return the value. `make` runs in the first caller's thread. If its call ends it, the next caller makes it."""
        call = call or Call()
        while True:
            value, is_mine_to_make = self._of(key)
            if is_mine_to_make:
                self._fill(key, value, make)
                return value.result()
            try:
                return call.result_of(value)
            except (CallCanceled, DeadlinePassed, ModelOverloaded):
                # The error of another caller's call says nothing about this call.
                call.check()

    def peek(self, key: str) -> Value | None:
        """Return the value if it is already there."""
        with self._lock:
            value = self._values.get(key)
            if value is None or not value.done() or value.exception() is not None:
                return None
            self._values.move_to_end(key)
        return value.result()

    def _of(self, key: str) -> "tuple[Future[Value], bool]":
        """Return the value, finished or in progress, and whether this caller must make it."""
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
        """Make the value. Waiting callers get it or the error. After a failure, the next caller tries again."""
        try:
            value.set_result(make())
        except BaseException as error:
            with self._lock:
                if self._values.get(key) is value:
                    del self._values[key]
            value.set_exception(error)
