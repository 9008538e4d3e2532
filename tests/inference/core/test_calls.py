import threading
import time
from concurrent.futures import Future

import pytest

from inference.core.calls import Call
from inference.core.errors import CallCanceled, DeadlinePassed


def test_whoever_asked_is_told_of_a_cancel_once() -> None:
    call, told = Call(), list[str]()
    call.on_cancel(lambda: told.append("first"))
    call.cancel()
    call.cancel()
    assert told == ["first"]


def test_whoever_asks_too_late_is_told_at_once() -> None:
    call, told = Call(), list[str]()
    call.cancel()
    call.on_cancel(lambda: told.append("late"))
    assert told == ["late"]


def test_a_wish_that_was_withdrawn_is_not_told() -> None:
    call, told = Call(), list[str]()
    withdraw = call.on_cancel(lambda: told.append("withdrawn"))
    withdraw()
    call.cancel()
    assert not told


def test_a_canceled_call_goes_no_further() -> None:
    call = Call()
    call.check()
    call.cancel()
    with pytest.raises(CallCanceled):
        call.check()


def test_a_call_past_its_deadline_goes_no_further() -> None:
    Call(deadline_s=time.monotonic() + 60).check()
    with pytest.raises(DeadlinePassed):
        Call(deadline_s=time.monotonic() - 0.001).check()


def test_a_canceled_call_leaves_what_others_still_wait_for() -> None:
    call, work = Call(), Future[str]()
    threading.Timer(0.05, call.cancel).start()
    with pytest.raises(CallCanceled):
        call.result_of(work)
    work.set_result("for the others")
    assert Call().result_of(work) == "for the others"


def test_a_call_waits_for_others_no_longer_than_its_deadline() -> None:
    with pytest.raises(DeadlinePassed):
        Call(deadline_s=time.monotonic() + 0.05).result_of(Future[str]())


def test_what_is_done_already_is_given_even_to_a_call_that_is_late() -> None:
    work = Future[str]()
    work.set_result("done")
    assert Call(deadline_s=time.monotonic() - 1).result_of(work) == "done"
