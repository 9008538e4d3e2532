"""Values that are dear to make and small to keep: made once per key, however many threads ask."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class OncePerKey(Generic[Value]):
    """Keeps the `capacity` values used last; one is made at a time."""

    def __init__(self, make: Callable[[str], Value], *, capacity: int = 16) -> None:
        self._make = make
        self._capacity = capacity
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, key: str) -> Value:
        with self._lock:
            if key not in self._values:
                self._values[key] = self._make(key)
            self._values.move_to_end(key)
            while len(self._values) > self._capacity:
                self._values.popitem(last=False)
            return self._values[key]
