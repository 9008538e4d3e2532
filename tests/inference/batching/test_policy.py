from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.batching.company import Company
from inference.batching.cost_fit import Coefficients, CostFit
from inference.batching.limits import BatchLimits
from inference.batching.policy import Dispatch, Idle, PolicyConfig, Refuse, WaitUntil, decide
from inference.batching.waiting import QueuedPiece, WaitingPieces

NOW = 1000.0
LIMITS = BatchLimits(max_rows=64, max_padded=16_384, max_wait_ms=5)
DEAR_PADDING = CostFit(100, {}, Coefficients(0.01, 0.0, 0.0001))
"""A fit in which one run costs as much as the padding of a hundred tokens."""
ONLY_RUNS = CostFit(100, {}, Coefficients(0.04, 0.0, 0.0))


def queue(*lengths: int, tenant: str = "a", group: object = None, rows: int = 1) -> WaitingPieces:
    waiting = WaitingPieces()
    for length in lengths:
        put(waiting, length, tenant=tenant, group=group, rows=rows)
    return waiting


def put(
    waiting: WaitingPieces,
    length: int = 1,
    *,
    tenant: str = "a",
    group: object = None,
    rows: int = 1,
    deadline_s: float | None = None,
) -> QueuedPiece:
    piece = QueuedPiece(tenant=tenant, group=group, length=length, rows=rows, queued_s=NOW, deadline_s=deadline_s)
    waiting.add(piece, 0.001 * rows * length)
    return piece


def config(
    fit: CostFit = DEAR_PADDING,
    limits: BatchLimits = LIMITS,
    company: Company | None = None,
    last_run_s: float | None = NOW - 1,
) -> PolicyConfig:
    return PolicyConfig(limits, fit, company or Company(), last_run_s)


def dispatched(waiting: WaitingPieces, settings: PolicyConfig) -> Dispatch:
    decision = decide(waiting, settings, NOW)
    assert isinstance(decision, Dispatch)
    return decision


def wait_s(waiting: WaitingPieces, settings: PolicyConfig) -> float:
    decision = decide(waiting, settings, NOW)
    assert isinstance(decision, WaitUntil)
    return decision.at_s - NOW


def lengths(decision: Dispatch) -> list[int]:
    return [piece.length for piece in decision.pieces]


def test_without_pieces_there_is_nothing_to_do() -> None:
    assert decide(WaitingPieces(), config(), NOW) == Idle()


def test_an_idle_model_runs_what_there_is_at_once() -> None:
    assert lengths(dispatched(queue(7), config())) == [7]


def test_pieces_nearest_in_length_join_the_oldest() -> None:
    decision = dispatched(queue(50, 49, 90, 51, 50, 10), config(limits=BatchLimits(max_rows=4)))
    assert lengths(decision) == [50, 50, 49, 51]


def test_equal_lengths_join_in_their_order() -> None:
    waiting = queue(50)
    shorter = [put(waiting, 49, tenant=tenant) for tenant in ("b", "c", "b")]
    decision = dispatched(waiting, config(limits=BatchLimits(max_rows=3)))
    assert decision.pieces[1:] == (shorter[0], shorter[1])


def test_lengths_that_differ_too_much_run_apart() -> None:
    assert lengths(dispatched(queue(10, 10, 120, 120), config())) == [10, 10]
    assert lengths(dispatched(queue(10, 10, 50, 50), config())) == [10, 10, 50, 50]


def test_where_only_runs_cost_everything_runs_together() -> None:
    assert sorted(lengths(dispatched(queue(1, 500, 30), config(ONLY_RUNS)))) == [1, 30, 500]


def test_pieces_of_other_groups_stay_out() -> None:
    waiting = queue(10, group="float32")
    put(waiting, 10, group="float16")
    assert len(dispatched(waiting, config()).pieces) == 1


def test_a_piece_larger_than_every_limit_runs_alone() -> None:
    waiting = queue(100_000, rows=200)
    put(waiting, 100_000)
    assert len(dispatched(waiting, config(ONLY_RUNS)).pieces) == 1


def test_a_batch_that_grows_longer_keeps_its_padded_limit() -> None:
    limits = BatchLimits(max_rows=64, max_padded=40)
    decision = dispatched(queue(10, 10, 11, 9, 12), config(ONLY_RUNS, limits))
    assert lengths(decision) == [10, 10, 9]


def test_a_late_piece_is_refused_before_anything_runs() -> None:
    waiting = queue(10)
    late = put(waiting, 10, deadline_s=NOW)
    assert decide(waiting, config(), NOW) == Refuse(late, 0.0)


def test_a_piece_that_cannot_be_in_time_is_refused_and_says_why() -> None:
    waiting = WaitingPieces()
    hopeless = put(waiting, 10, deadline_s=NOW + 0.005)
    assert decide(waiting, config(), NOW) == Refuse(hopeless, DEAR_PADDING.predict(1, 10))


@pytest.mark.parametrize("settings", [config(last_run_s=None), config(last_run_s=NOW - 60), config(CostFit())])
def test_nothing_is_refused_on_an_old_or_untried_fit(settings: PolicyConfig) -> None:
    waiting = WaitingPieces()
    put(waiting, 10, deadline_s=NOW + 0.0001)
    assert isinstance(decide(waiting, settings, NOW), Dispatch)


def test_company_that_would_make_the_first_late_stays_out() -> None:
    waiting = WaitingPieces()
    put(waiting, 10, deadline_s=NOW + 0.0125)
    put(waiting, 10)
    put(waiting, 10)
    assert len(dispatched(waiting, config()).pieces) == 2


class TestHoldingBack:
    def company(
        self, *, ran: int, came: int = 1, share: float = 1.0, ended_s: float = NOW, last_s: float = NOW
    ) -> Company:
        return Company(usual_share=share, ran_rows=ran, came_rows=came, ended_s=ended_s, last_came_s=last_s)

    def test_callers_who_usually_come_back_are_waited_for(self) -> None:
        settings = config(ONLY_RUNS, company=self.company(ran=60))
        assert wait_s(queue(1), settings) == pytest.approx(0.005 / 2)

    def test_callers_who_usually_stay_away_are_not_waited_for(self) -> None:
        settings = config(ONLY_RUNS, company=self.company(ran=60, share=0.5))
        assert isinstance(decide(queue(1), settings, NOW), Dispatch)

    def test_a_caller_alone_never_waits(self) -> None:
        assert isinstance(decide(queue(1), config(ONLY_RUNS, company=self.company(ran=1)), NOW), Dispatch)

    def test_two_callers_wait_for_each_other(self) -> None:
        assert wait_s(queue(1), config(ONLY_RUNS, company=self.company(ran=1, came=0, share=0.9))) > 0

    def test_a_full_batch_never_waits(self) -> None:
        settings = config(ONLY_RUNS, company=self.company(ran=500))
        assert isinstance(decide(queue(*[1] * 64), settings, NOW), Dispatch)

    @pytest.mark.parametrize("fixed_s", [0.0, 0.0005])
    def test_a_cheap_run_is_not_waited_with(self, fixed_s: float) -> None:
        cheap = CostFit(100, {}, Coefficients(fixed_s, 0.001, 0.0))
        assert isinstance(decide(queue(1), config(cheap, company=self.company(ran=60)), NOW), Dispatch)

    def test_it_ends_when_nobody_follows(self) -> None:
        settings = config(ONLY_RUNS, company=self.company(ran=60, ended_s=NOW - 0.004, last_s=NOW - 0.003))
        assert isinstance(decide(queue(1), settings, NOW), Dispatch)

    def test_it_ends_after_the_longest_time_whoever_comes(self) -> None:
        settings = config(ONLY_RUNS, company=self.company(ran=60, ended_s=NOW - 0.0049))
        assert wait_s(queue(1), settings) == pytest.approx(0.0001)

    def test_zero_milliseconds_turn_it_off(self) -> None:
        settings = config(ONLY_RUNS, BatchLimits(max_wait_ms=0), self.company(ran=60))
        assert isinstance(decide(queue(1), settings, NOW), Dispatch)

    def test_a_deadline_is_not_waited_past(self) -> None:
        waiting = WaitingPieces()
        put(waiting, deadline_s=NOW + 0.0405)
        assert wait_s(waiting, config(ONLY_RUNS, company=self.company(ran=60))) == pytest.approx(0.0005)

    def test_company_of_another_kind_is_not_waited_for(self) -> None:
        settings = config(ONLY_RUNS, company=self.company(ran=60))
        assert isinstance(decide(queue(1, group="other"), settings, NOW), Dispatch)


PIECES = st.lists(
    st.tuples(st.integers(1, 300), st.sampled_from("abc"), st.sampled_from([None, "g"]), st.integers(1, 5)),
    min_size=1,
    max_size=60,
)


@given(
    pieces=PIECES,
    max_rows=st.integers(1, 20),
    max_padded=st.none() | st.integers(1, 3000),
    fixed_s=st.floats(0, 1),
    padded_s=st.floats(0, 0.01),
)
def test_every_piece_runs_once_in_batches_that_keep_their_bounds(
    pieces: list[tuple[int, str, str | None, int]],
    max_rows: int,
    max_padded: int | None,
    fixed_s: float,
    padded_s: float,
) -> None:
    waiting = WaitingPieces()
    entered = [put(waiting, length, tenant=tenant, group=group, rows=rows) for length, tenant, group, rows in pieces]
    fit = CostFit(100, {}, Coefficients(fixed_s, 0.001, padded_s))
    settings = config(fit, BatchLimits(max_rows=max_rows, max_padded=max_padded))
    ran: list[QueuedPiece] = []
    while isinstance(decision := decide(waiting, settings, NOW), Dispatch):
        batch = decision.pieces
        assert batch[0] is min((piece for piece in entered if piece.waiting), key=lambda piece: piece.place)
        assert len({piece.group for piece in batch}) == 1
        padded_length = max(piece.length for piece in batch)
        rows = sum(piece.rows for piece in batch)
        assert len(batch) == 1 or rows <= max_rows
        assert len(batch) == 1 or max_padded is None or rows * padded_length <= max_padded
        assert_no_cut_pays(decision, fit)
        waiting.serve(batch[0])
        for piece in batch:
            waiting.remove(piece, run=True)
        ran += batch
    assert sorted(map(id, ran)) == sorted(map(id, entered))
    assert (len(waiting), waiting.rows) == (0, 0)


def assert_no_cut_pays(decision: Dispatch, fit: CostFit) -> None:
    def cost_s(part: list[QueuedPiece]) -> float:
        rows = sum(piece.rows for piece in part)
        return fit.predict(rows, rows * max(piece.length for piece in part))

    batch = sorted(decision.pieces, key=lambda piece: piece.length)
    whole_s = cost_s(batch)
    for cut in range(1, len(batch)):
        assert whole_s <= cost_s(batch[:cut]) + cost_s(batch[cut:]) + 1e-9


class CountedPieces(WaitingPieces):
    """Waiting pieces that count how many of them are looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.checked_at = 0

    def up_to_length(self, piece: QueuedPiece) -> Iterator[QueuedPiece]:
        return self._counted(super().up_to_length(piece))

    def beyond_length(self, piece: QueuedPiece) -> Iterator[QueuedPiece]:
        return self._counted(super().beyond_length(piece))

    def _counted(self, pieces: Iterator[QueuedPiece]) -> Iterator[QueuedPiece]:
        for piece in pieces:
            self.checked_at += 1
            yield piece


def test_however_many_wait_only_a_batch_of_them_is_looked_at() -> None:
    waiting = CountedPieces()
    for number in range(4096):
        put(waiting, 1 + number * 7 % 3000, tenant=f"t{number % 7}")
    assert len(dispatched(waiting, config(ONLY_RUNS, BatchLimits(max_padded=None))).pieces) == 64
    assert waiting.checked_at <= 64 + 3
