"""Test that the seconds of work of a pool are counted from what waits, what runs and what workers tell."""

import pytest

from inference.scaling.signal import (
    BATCHES,
    CALLS,
    DEFAULT_POOL,
    PAGES,
    UNKNOWN_S,
    Arrivals,
    Costs,
    FleetNow,
    ModelNow,
    Waiting,
    WorkerNow,
    pool_signals,
)

OCR, EMBED = ModelNow("ocr@1", DEFAULT_POOL, load_s=2.0), ModelNow("embed@1", "texts", load_s=0.5)


def worker(**given: object) -> WorkerNow:
    return WorkerNow("w1", "s1", **given)  # type: ignore[arg-type]


def test_work_is_that_of_all_pieces_that_wait() -> None:
    costs = Costs()
    costs.learn([worker(slots=4, running={"ocr@1": 4}, service_s={"ocr@1": 2.0})])
    waiting = [
        Waiting("ocr@1", PAGES, "standard", 10, oldest_s=3.0),
        Waiting("ocr@1", PAGES, "bulk", 100, oldest_s=9.0),
        Waiting("embed@1", CALLS, "interactive", 5, oldest_s=0.01),
    ]
    found = pool_signals(FleetNow([OCR, EMBED], waiting, [worker(running={"ocr@1": 4})]), costs)
    default = found[DEFAULT_POOL]
    assert default.waiting_work_s == pytest.approx(110 * 0.5)
    assert [(part.priority, part.pieces) for part in default.parts] == [("bulk", 100), ("standard", 10)]
    assert default.oldest_wait_s == 9.0
    assert default.running_work_s == pytest.approx(4 * 0.5 / 2)
    assert default.load_s == 2.0
    assert found["texts"].waiting_work_s == 5 * UNKNOWN_S
    assert found["texts"].ready == 0


def test_batches_wait_for_spare_capacity() -> None:
    waiting = [Waiting("ocr@1", BATCHES, "bulk", 1000, oldest_s=900.0), Waiting("ocr@1", CALLS, "interactive", 2, 0.2)]
    signal = pool_signals(FleetNow([OCR], waiting, []), Costs())[DEFAULT_POOL]
    assert signal.waiting_work_s == 1002 * UNKNOWN_S
    assert signal.prompt_work_s == 2 * UNKNOWN_S
    assert signal.prompt_wait_s == 0.2


@pytest.mark.parametrize(("running", "expected_s"), [(1, 2.0), (2, 1.0), (8, 0.5)])
def test_a_piece_that_shares_its_worker_takes_its_part_of_it(running: int, expected_s: float) -> None:
    costs = Costs()
    costs.learn([worker(slots=4, running={"ocr@1": running}, service_s={"ocr@1": 2.0})])
    assert costs.of("ocr@1") == expected_s


@pytest.mark.parametrize(("piece_s", "looks", "low_s", "high_s"), [(3.0, 10, 2.1, 2.3), (8.0, 10, 5.3, 8.0)])
def test_a_piece_of_other_length_changes_the_average_slowly_unless_it_differs_much(
    piece_s: float, looks: int, low_s: float, high_s: float
) -> None:
    costs = Costs()
    for found_s in (2.0, *[piece_s] * looks):
        costs.learn([worker(running={"ocr@1": 1}, service_s={"ocr@1": found_s})])
    assert low_s < costs.of("ocr@1") < high_s


def test_an_idle_pool_keeps_the_mean_of_its_pieces() -> None:
    costs = Costs()
    assert costs.of_pool("default", {}) == UNKNOWN_S
    costs.learn([worker(running={"ocr@1": 1}, service_s={"ocr@1": 0.05})])
    assert costs.of_pool("default", {"ocr@1": 2}) == 0.05
    assert costs.of_pool("default", {}) == 0.05


def test_an_idle_worker_teaches_only_what_nobody_knows() -> None:
    costs = Costs()
    costs.learn([worker(slots=4, running={"ocr@1": 1}, service_s={"ocr@1": 2.0})])
    costs.learn([worker(slots=4, service_s={"ocr@1": 8.0, "embed@1": 0.4})])
    assert costs.of("ocr@1") == 2.0
    assert costs.of("embed@1") == 0.1


def test_what_comes_is_what_was_done_and_what_is_here_more() -> None:
    arrivals = Arrivals()
    assert arrivals.since_last([Waiting("ocr@1", PAGES, "bulk", 50)], [worker(done={"ocr@1": 7})], {}) == {}
    came = arrivals.since_last(
        [Waiting("ocr@1", PAGES, "bulk", 60)], [worker(done={"ocr@1": 17}, running={"ocr@1": 4})], {}
    )
    assert came == {"ocr@1": 10 + 10 + 4}
    assert arrivals.since_last([], [worker(done={"ocr@1": 17 + 64})], {}) == {}


def test_a_piece_that_no_heartbeat_shows_yet_comes_once() -> None:
    arrivals, waiting = Arrivals(), [Waiting("ocr@1", PAGES, "bulk", 3)]
    arrivals.since_last(waiting, [worker()], {})
    assert arrivals.since_last([], [worker()], {}) == {}
    assert arrivals.since_last([], [worker(done={"ocr@1": 2}, running={"ocr@1": 1})], {}) == {}
    assert arrivals.since_last([], [worker(done={"ocr@1": 4})], {}) == {"ocr@1": 1}


def test_canceled_pieces_hide_what_comes_for_one_look() -> None:
    arrivals = Arrivals()
    arrivals.since_last([Waiting("ocr@1", PAGES, "bulk", 1000)], [], {})
    assert arrivals.since_last([], [], {}) == {}
    assert arrivals.since_last([Waiting("ocr@1", PAGES, "bulk", 5)], [], {}) == {}
    assert arrivals.since_last([Waiting("ocr@1", PAGES, "bulk", 9)], [], {}) == {"ocr@1": 4}


def test_a_worker_that_started_anew_counts_from_zero() -> None:
    arrivals = Arrivals()
    arrivals.since_last([], [worker(done={"ocr@1": 1000})], {})
    assert arrivals.since_last([], [WorkerNow("w1", "s2", done={"ocr@1": 3})], {}) == {"ocr@1": 3}


def test_calls_that_no_worker_served_have_come_even_if_they_have_gone() -> None:
    arrivals = Arrivals()
    assert arrivals.since_last([], [], {"ocr@1": 2}) == {"ocr@1": 2}
    waiting = [Waiting("ocr@1", CALLS, "interactive", 1)]
    assert arrivals.since_last(waiting, [], {"ocr@1": 3}) == {"ocr@1": 3}
    assert arrivals.since_last(waiting, [], {}) == {}


def test_callers_are_sent_away_only_if_no_worker_takes_work() -> None:
    models = [ModelNow("ocr@1", "gpu", 2.0), ModelNow("embed@1", "default", 2.0)]

    def sent_away(*workers: WorkerNow) -> bool:
        fleet = FleetNow(models, [], workers, unserved=frozenset({"ocr@1"}))
        found = pool_signals(fleet, Costs())
        assert not found["default"].sent_away
        return found["gpu"].sent_away

    gpu = frozenset({"gpu"})
    assert sent_away()
    assert sent_away(WorkerNow("w1", "s1", pools=gpu, ready=False, starting=True))
    assert not sent_away(WorkerNow("w1", "s1", pools=gpu))


def test_a_known_pool_without_models_and_workers_has_a_signal() -> None:
    found = pool_signals(FleetNow([OCR], [], []), Costs(), ["gpu-spot"])
    assert (found["gpu-spot"].ready, found["gpu-spot"].waiting_work_s) == (0, 0)


def test_lines_of_batches_do_not_come() -> None:
    arrivals = Arrivals()
    arrivals.since_last([], [], {})
    assert arrivals.since_last([Waiting("ocr@1", BATCHES, "bulk", 5000)], [], {}) == {}


def test_only_workers_that_take_work_are_ready() -> None:
    workers = [
        WorkerNow("a", "1"),
        WorkerNow("b", "2", ready=False, starting=True),
        WorkerNow("c", "3", ready=False),
        WorkerNow("d", "4", pools=frozenset({"texts"})),
    ]
    found = pool_signals(FleetNow([OCR, EMBED], [], workers), Costs())
    assert (found[DEFAULT_POOL].ready, found[DEFAULT_POOL].starting) == (1, 1)
    assert found["texts"].ready == 1
