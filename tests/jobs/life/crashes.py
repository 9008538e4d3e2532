"""A call as it goes when its process or its connection dies around the commit."""

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import TypeVar

from django.db import transaction

from jobs.core.errors import Fenced
from tenants.core.db.unit_of_work import APP, OPERATOR

Answer = TypeVar("Answer")


class Fate(Enum):
    HEARD = "heard"
    UNDONE = "undone"
    """The process died before the commit: the database knows nothing of it."""
    UNHEARD = "unheard"
    """It died after the commit, or the answer was lost: whoever asked asks again."""


class _Died(Exception):
    pass


def undone(call: Callable[[], object]) -> None:
    """Everything that the call writes is rolled back, as of a session that ends before its commit."""
    with suppress(_Died), transaction.atomic(using=APP), transaction.atomic(using=OPERATOR):
        with suppress(Fenced):
            call()
        raise _Died


def is_done(call: Callable[[], object]) -> bool:
    """False where it was fenced, or says itself that there was nothing to do."""
    try:
        return call() is not False
    except Fenced:
        return False
