"""Tests of who may open one more connection."""

from contextlib import ExitStack
from uuid import UUID

import pytest

from jobs.streaming.open_connections import OpenConnections, TooManyStreams
from tenants.core.asgi.threads import Overloaded

A, B = UUID(int=1), UUID(int=2)


def test_one_tenant_has_a_part_and_all_together_no_more_than_there_are() -> None:
    seats = OpenConnections(most=3, max_each=2)
    with ExitStack() as open_ones:
        open_ones.enter_context(seats.seat(A, "job"))
        open_ones.enter_context(seats.seat(A, "socket"))
        with pytest.raises(TooManyStreams), seats.seat(A, "job"):
            pass
        open_ones.enter_context(seats.seat(B, "tenant"))
        with pytest.raises(Overloaded), seats.seat(B, "job"):
            pass
    with seats.seat(A, "job"), seats.seat(A, "job"), seats.seat(B, "job"):
        pass
