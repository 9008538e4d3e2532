"""Who is at work at this moment, and from where: told where work begins, read where a deed is written down."""

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
    """As the account knows them; an operator is not named to it."""
    behalf_of: str = ""
    """Of which member, where an operator acts as one."""
    address: str = ""
    user_agent: str = ""
    request_id: str = ""


_NOBODY = Acting()
_acting: ContextVar[Callable[[], Acting] | None] = ContextVar("acting", default=None)


def acting() -> Acting:
    """The product itself where nobody was told of: the scheduler, workers, commands."""
    find = _acting.get()
    return find() if find else _NOBODY


@contextmanager
def acting_as(find: Callable[[], Acting]) -> Iterator[None]:
    """Asked only when something is written down: most work changes nothing that is."""
    token = _acting.set(find)
    try:
        yield
    finally:
        _acting.reset(token)
