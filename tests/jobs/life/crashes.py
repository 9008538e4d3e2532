"""Calls whose process or connection dies around the commit."""

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import TypeVar

from django.db import transaction

from jobs.core.errors import LeaseLost
from tenants.core.db.unit_of_work import APP, OPERATOR

Answer = TypeVar("Answer")


class Fate(Enum):
    HEARD = "heard"
    UNDONE = "undone"
    """The process died before the commit, and the database contains nothing of it."""
    UNHEARD = "unheard"
    """The process died after the commit, or the response was lost, and the caller calls again."""


class _Died(Exception):
    pass


def undone(call: Callable[[], object]) -> None:
    """Make a call and roll back everything that it writes, as for a session that ends before its commit."""
    with suppress(_Died), transaction.atomic(using=APP), transaction.atomic(using=OPERATOR):
        with suppress(LeaseLost):
            call()
        raise _Died


def is_done(call: Callable[[], object]) -> bool:
    """Make a call. Return False if its lease was lost, or if it returns that there was nothing to do."""
    try:
        return call() is not False
    except LeaseLost:
        return False
