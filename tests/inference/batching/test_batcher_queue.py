import pytest

from inference.batching.batcher import Piece
from inference.batching.limits import BatchLimits
from inference.batching.watch import BatchTally
from inference.core.calls import Call
from inference.core.contracts import WorkRefused
from inference.core.errors import ModelOverloaded
from tests.inference.batching.callers import answers, ask, ask_each, batching, pieces
from tests.inference.batching.models import Doubler, HeldUp


def test_a_flood_delays_another_tenants_single_piece_by_one_batch_at_most() -> None:
    model = HeldUp()
    with batching(model, BatchLimits(max_rows=4, max_wait_ms=0)) as batcher:
        flood = ask(batcher, pieces(*range(100)), Call(tenant="flood"))
        model.wait_for_run()
        single = ask(batcher, pieces(1000), Call(tenant="single"))
        model.go.set()
        answers([flood, single])
    assert 1000 in model.batches[1]


def test_one_tenant_is_served_in_order() -> None:
    model = HeldUp()
    with batching(model, BatchLimits(max_rows=4, max_wait_ms=0)) as batcher:
        model.go.set()
        batcher.run(pieces(*range(20)), Call())
    assert [number for batch in model.batches for number in batch] == list(range(20))


def test_more_than_may_wait_is_refused_whole_with_the_numbers() -> None:
    model, tally = HeldUp(), BatchTally()
    with batching(model, BatchLimits(max_rows=2, max_waiting=5, max_wait_ms=0), watch=tally) as batcher:
        running = ask(batcher, pieces(1))
        model.wait_for_run()
        waiting = ask(batcher, pieces(2))
        with pytest.raises(ModelOverloaded) as refused:
            batcher.run(pieces(4, 5), Call())
        assert batcher.waiting_rows == 1
        model.go.set()
        assert answers([running, waiting]) == [2, 4]
    assert refused.value.detail == (
        "numbers@1: 1 rows wait of 5 that may, 1 of them yours, so 2 more were not taken;"
        " send fewer at once, or try again later"
    )
    assert refused.value.retryable
    assert tally.figures.overloaded_rows == 2
    assert model.batches == [[1], [2]]


def test_a_flood_leaves_room_for_others() -> None:
    model = HeldUp()
    with batching(model, BatchLimits(max_rows=4, max_waiting=40, max_wait_ms=0)) as batcher:
        accepted = [ask(batcher, pieces(0), Call(tenant="flood"))]
        model.wait_for_run()
        accepted += ask_each(batcher, pieces(*range(20)), Call(tenant="flood"))
        with pytest.raises(ModelOverloaded):
            batcher.run(pieces(20), Call(tenant="flood"))
        other = ask(batcher, pieces(*range(10)), Call(tenant="other"))
        model.go.set()
        assert answers([other]) == [2 * number for number in range(10)]
        answers(accepted)


@pytest.mark.parametrize("asked", [pieces(1, 2, 3, 4, 5, 6), [Piece(1, rows=6)]])
def test_what_could_never_wait_is_refused_for_good(asked: list[Piece[int]]) -> None:
    """A retry would not help, because not even an empty queue has enough capacity."""
    tally = BatchTally()
    with batching(Doubler(), BatchLimits(max_rows=2, max_waiting=5), watch=tally) as batcher:
        with pytest.raises(WorkRefused) as refused:
            batcher.run(asked, Call())
        assert batcher.run(pieces(1, 2, 3, 4, 5), Call()) == [2, 4, 6, 8, 10]
    assert refused.value.code == "input_too_large"
    assert refused.value.detail == (
        "numbers@1: of 6 rows at once only 5 may wait; send less, or ask the operator for a higher max_waiting"
    )
    assert tally.figures.overloaded_rows == 0


def test_a_piece_beyond_what_a_batch_holds_runs_alone() -> None:
    model = Doubler()
    with batching(model, BatchLimits(max_rows=2, max_padded=8, max_wait_ms=0)) as batcher:
        asked = [Piece(1, length=100), Piece(2, rows=7), Piece(3), Piece(4)]
        assert batcher.run(asked, Call()) == [2, 4, 6, 8]
    assert sorted(model.batches) == [[1], [2], [3, 4]]


def test_new_limits_hold_from_the_next_batch() -> None:
    model = HeldUp()
    with batching(model) as batcher:
        first = ask(batcher, pieces(1))
        model.wait_for_run()
        rest = ask(batcher, pieces(2, 3, 4))
        batcher.limits = BatchLimits(max_rows=1, max_wait_ms=0)
        model.go.set()
        answers([first, rest])
    assert model.batches == [[1], [2], [3], [4]]


@pytest.mark.parametrize("wrong", [{"length": 0}, {"rows": 0}])
def test_a_piece_of_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="both are at least 1"):
        Piece(1, **wrong)
