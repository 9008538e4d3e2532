"""A session that several users share for a while."""

from collections.abc import Callable
from itertools import count

from inference.runtime.session import Session


class Borrowed:
    """A session that several users keep in memory until the last of them has given it back, each once."""

    def __init__(self, session: Session, users: int, leave: Callable[[], None]) -> None:
        self.session = session
        self._leave = leave
        self._ends = count(1 - users)

    def give_back(self) -> None:
        if next(self._ends) == 0:
            self._leave()
