"""The current actor and its origin. It is set where work begins and read where an action is recorded."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID

PERSON, KEY, OPERATOR, SYSTEM = "person", "key", "operator", "system"
KINDS = (PERSON, KEY, OPERATOR, SYSTEM)


@dataclass(frozen=True)
class Acting:
    kind: str = SYSTEM
    actor_id: UUID | None = None
    name: str = ""
    """The name that the account knows; the name of an operator is not shown to it."""
    behalf_of: str = ""
    """The member as whom an operator acts."""
    address: str = ""
    user_agent: str = ""
    request_id: str = ""


_NOBODY = Acting()
_acting: ContextVar[Callable[[], Acting] | None] = ContextVar("acting", default=None)


def acting() -> Acting:
    """Return the current actor. If none was set, it is the product itself: the scheduler, workers, commands."""
    find = _acting.get()
    return find() if find else _NOBODY


@contextmanager
def acting_as(find: Callable[[], Acting]) -> Iterator[None]:
    """Set the current actor. `find` is called only when an action is recorded, because most work records nothing."""
    token = _acting.set(find)
    try:
        yield
    finally:
        _acting.reset(token)
