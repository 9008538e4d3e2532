"""Test that tenants take turns with real children, and that a tenant who has had them for long gives them up."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from inference.core.calls import Call
from inference.sandbox import RequestLimits, SandboxPool, SandboxUnavailable
from tests.waiting import eventually

from .asking import tree
from .conftest import LIMITS, PROGRAM

LONG = RequestLimits(wall_s=30, cpu_s=20)


@pytest.fixture(scope="module")
def pair() -> Iterator[SandboxPool]:
    made = SandboxPool(PROGRAM, LIMITS, children=2)
    assert made.wait_until_warm(20)
    yield made
    made.close()


def asked(pool: SandboxPool, do: str, call: Call) -> Any:
    return pool.ask({"do": do}, accept=lambda value: value, limits=LONG, wait_s=20, call=call)


@contextmanager
def spinning(pool: SandboxPool, *tenants: str) -> Iterator[list["Future[Any]"]]:
    """Start requests that never end by themselves, one after the other."""
    with ThreadPoolExecutor() as threads, ExitStack() as calls:
        answers = []
        for tenant in tenants:
            call, before = Call(tenant=tenant), tree(pool)
            calls.callback(call.cancel)
            answers.append(threads.submit(asked, pool, "spin", call))
            eventually(partial(_more_than, before, pool), "a child at work")
        yield answers


def _more_than(before: set[psutil.Process], pool: SandboxPool) -> bool:
    return tree(pool) > before


@pytest.mark.parametrize("heavy", [("a", "a"), ("b", "c")], ids=["one tenant", "two tenants"])
def test_slow_requests_that_have_all_children_keep_no_other_tenant_waiting(
    pair: SandboxPool, heavy: tuple[str, str]
) -> None:
    with spinning(pair, *heavy) as (first, last):
        call = Call(tenant=f"light beside {heavy}")
        assert asked(pair, "echo", call)
        assert isinstance(last.exception(timeout=5), SandboxUnavailable)
        assert not first.done()
        assert call.spent.child_wait_s > 0
