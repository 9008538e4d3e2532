"""Provide callers of a batcher, each in a separate thread."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from inference.batching.batcher import Batcher, Piece
from inference.batching.cost_fit import Coefficients, CostFit
from inference.batching.limits import BatchLimits
from inference.core.calls import Call
from tests.inference.batching.models import TIMEOUT_S, Gate, HeldUp

ALL_TOGETHER = CostFit(0, {}, Coefficients(1.0, 0.0, 0.0))


@contextmanager
def batching(run: Callable[..., Any], limits: BatchLimits | None = None, **more: Any) -> Iterator[Batcher[Any, Any]]:
    batcher: Batcher[Any, Any] = Batcher(
        "numbers@1", run, limits=limits or BatchLimits(max_wait_ms=0), fit=ALL_TOGETHER, **more
    )
    try:
        yield batcher
    finally:
        if isinstance(run, HeldUp | Gate):
            run.go.set()
        batcher.close()


def pieces(*numbers: int) -> list[Piece[int]]:
    return [Piece(number) for number in numbers]


def ask(batcher: Batcher[Any, Any], asked: Sequence[Piece[Any]], call: Call | None = None) -> "Future[list[Any]]":
    """Call the batcher in a thread. When this returns, the request waits, runs or has been answered."""
    own, answer = Call(), Future[list[Any]]()
    if call is not None:
        own = Call(tenant=call.tenant, deadline_s=call.deadline_s, spent=call.spent)
        call.on_cancel(own.cancel)

    def wait_for_it() -> None:
        try:
            answer.set_result(batcher.run(asked, own))
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=wait_for_it, daemon=True).start()
    give_up_s = time.monotonic() + TIMEOUT_S
    while not (own._told or answer.done()):
        assert time.monotonic() < give_up_s
        time.sleep(0.0002)
    return answer


def ask_each(
    batcher: Batcher[Any, Any], asked: Sequence[Piece[Any]], call: Call | None = None
) -> "list[Future[list[Any]]]":
    """Start a caller for each piece, one after the other."""
    return [ask(batcher, [piece], call) for piece in asked]


def ask_together(gate: Gate, batcher: Batcher[Any, Any], asked: Sequence[Piece[Any]]) -> "list[Future[Any]]":
    """Start a caller for each piece, so that all pieces are in one batch as far as its limits allow."""
    ask(batcher, [Piece(gate, group=gate)])
    assert gate.began.wait(TIMEOUT_S)
    futures = ask_each(batcher, asked)
    gate.go.set()
    return futures


def answers(futures: "Sequence[Future[list[Any]]]") -> list[Any]:
    return [answer for future in futures for answer in future.result(TIMEOUT_S)]
