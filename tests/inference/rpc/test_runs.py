from uuid import uuid4

from inference.rpc.runs import CANCELS_REMEMBERED, Hand, Run, Taken


def taken(coalesce: str = "", *, tenant: str = "a", deadline_s: float = 10.0, model: str = "m@1") -> Taken:
    return Taken(model, uuid4().hex, tenant, coalesce, b"", deadline_s, 0.0)


def begun(hand: Hand, request: Taken) -> Run:
    (run,) = hand.add([request])
    assert isinstance(run, Run)
    return run


def room(hand: Hand) -> int:
    reserved = hand.reserve(100)
    hand.unreserve(reserved)
    return reserved


def test_requests_that_say_the_same_share_one_run_and_all_are_answered() -> None:
    hand = Hand(4)
    first, second = taken("same"), taken("same")
    run = begun(hand, first)
    assert hand.add([second]) == ["coalesced"]
    assert hand.end([run]) == [(first, second)]


def test_nothing_is_shared_between_tenants_or_models() -> None:
    hand = Hand(4)
    runs = {begun(hand, one) for one in (taken("x"), taken("x", tenant="b"), taken("x", model="n@1"), taken())}
    assert len(runs) == 4


def test_a_run_that_is_being_answered_is_joined_by_nobody() -> None:
    hand = Hand(4)
    run = begun(hand, taken("same"))
    hand.end([run])
    assert begun(hand, taken("same")) is not run


def test_a_shared_run_is_canceled_only_when_its_last_waiter_leaves() -> None:
    hand = Hand(4)
    first, second = taken("same"), taken("same")
    run = begun(hand, first)
    hand.add([second])
    assert hand.cancel(first.request_id)
    assert not run.call.canceled
    assert hand.cancel(second.request_id)
    assert run.call.canceled
    assert begun(hand, taken("same")) is not run


def test_a_shared_run_is_wanted_until_the_latest_deadline() -> None:
    hand = Hand(4)
    run = begun(hand, taken("same", deadline_s=5.0))
    hand.add([taken("same", deadline_s=9.0)])
    hand.add([taken("same", deadline_s=7.0)])
    assert run.call.deadline_s == 9.0


def test_a_run_whose_first_deadline_ended_it_begins_again_for_those_with_time_left() -> None:
    hand = Hand(4)
    first, second = taken("same", deadline_s=5.0), taken("same", deadline_s=9.0)
    run = begun(hand, first)
    hand.add([second])
    assert hand.renew(run, 6.0)
    assert run.call.deadline_s == 9.0
    assert not hand.renew(run, 9.0)
    assert hand.end([run]) == [()]


def test_a_cancel_that_comes_before_its_request_is_remembered_once() -> None:
    hand = Hand(4)
    late = taken()
    assert not hand.cancel(late.request_id)
    assert hand.add([late]) == ["canceled"]
    begun(hand, late)


def test_cancels_of_others_are_forgotten_in_the_end() -> None:
    hand = Hand(4)
    late = taken()
    hand.cancel(late.request_id)
    for _ in range(CANCELS_REMEMBERED):
        hand.cancel(uuid4().hex)
    begun(hand, late)


def test_room_comes_back_however_a_request_leaves() -> None:
    hand = Hand(3)
    alone, first, second = taken(), taken("same"), taken("same")
    ending, shared = begun(hand, alone), begun(hand, first)
    hand.add([second])
    assert room(hand) == 0
    hand.cancel(first.request_id)
    assert room(hand) == 1
    hand.cancel(second.request_id)
    assert room(hand) == 1, "the run itself still goes on"
    hand.end([shared])
    hand.release([shared])
    hand.end([ending])
    assert room(hand) == 2, "it is being answered"
    hand.release([ending])
    assert room(hand) == 3


def test_room_that_is_reserved_is_nobody_elses() -> None:
    hand = Hand(3)
    begun(hand, taken())
    assert hand.reserve(1) == 1
    assert hand.reserve(5) == 1
    assert hand.reserve(1) == 0
    hand.unreserve(2)
    assert hand.reserve(5) == 2


def test_what_is_given_up_is_not_answered_and_what_is_being_answered_is_not_given_up() -> None:
    hand = Hand(3)
    stuck, answering = taken(), taken()
    run, ended = begun(hand, stuck), begun(hand, answering)
    hand.end([ended])
    assert hand.give_up() == [(run, (stuck,))]
    assert run.call.canceled
    assert hand.end([run]) == [()]
    assert not hand.settle(0)
    hand.release([ended])
    assert hand.settle(0)
