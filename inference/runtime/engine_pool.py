"""A bounded number of engines that one thread at a time may use, kept by key while they are idle."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from inference.core.calls import Call

Engine = TypeVar("Engine")
_LOOK_EVERY_S = 0.1


class EnginePool(Generic[Engine]):
    """Lends engines. At most `size` exist at any time, lent ones included.

    If all are lent, a call waits until it is canceled or late. If the pool is full of idle engines of other keys, the
    one that was idle for the longest time is closed.
    """

    def __init__(self, make: Callable[[str], Engine], close: Callable[[Engine], None], *, size: int) -> None:
        self._make = make
        self._close = close
        self._size = size
        self._idle: OrderedDict[int, tuple[str, Engine]] = OrderedDict()
        self._lent = 0
        self._returned = threading.Condition()
        self._next = 0

    @contextmanager
    def engine(self, key: str, call: Call) -> Iterator[Engine]:
        """Lend an engine. After an error, it is closed, because its state is not known."""
        engine = self._take(key, call)
        try:
            yield engine
        except BaseException:
            self._give_back(key, engine, keep=False)
            raise
        self._give_back(key, engine, keep=True)

    def close(self) -> None:
        """Close all idle engines. Lent ones are kept when they come back."""
        with self._returned:
            engines = [engine for _, engine in self._idle.values()]
            self._idle.clear()
        for engine in engines:
            self._close(engine)

    def _take(self, key: str, call: Call) -> Engine:
        with self._returned:
            while self._lent >= self._size:
                call.check()
                self._returned.wait(_LOOK_EVERY_S)
            self._lent += 1
            found, surplus = self._found(key), self._surplus()
        try:
            for engine in surplus:
                self._close(engine)
            return self._make(key) if found is None else found
        except BaseException:
            self._count_back()
            raise

    def _found(self, key: str) -> Engine | None:
        for number in reversed(self._idle):
            if self._idle[number][0] == key:
                return self._idle.pop(number)[1]
        return None

    def _surplus(self) -> list[Engine]:
        surplus = []
        while self._lent + len(self._idle) > self._size:
            surplus.append(self._idle.popitem(last=False)[1][1])
        return surplus

    def _give_back(self, key: str, engine: Engine, *, keep: bool) -> None:
        if not keep:
            self._close(engine)
        with self._returned:
            if keep:
                self._next += 1
                self._idle[self._next] = (key, engine)
            self._lent -= 1
            self._returned.notify()

    def _count_back(self) -> None:
        with self._returned:
            self._lent -= 1
            self._returned.notify()
