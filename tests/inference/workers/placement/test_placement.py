"""Test which worker becomes the home of which model, and why."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.workers.placement.fleet import Demand, Held, Model, Reason, Snapshot, Strategy, Worker
from inference.workers.placement.placement import (
    COLD_AT_ONCE,
    QUEUES_AT_ONCE,
    SPARED_IDLE_S,
    TELLS_AT_ONCE,
    Decision,
    place,
    plan_for,
)
from tests.inference.workers.placement.fleets import MB, model, random_pool, snapshot, worker

NOW = Demand(1, 0.5)


def only(made: tuple[Decision, ...]) -> Decision:
    (decision,) = made
    return decision


def told(made: tuple[Decision, ...]) -> tuple[str, Reason]:
    return only(made).worker, only(made).reason


def test_a_cold_model_goes_where_nothing_has_to_leave_for_it() -> None:
    held, cold = model("held@1", 95), model("cold@1")
    fleet = snapshot(worker("full", held), worker("free"), models=(held, cold), demand={"cold@1": NOW})
    assert told(place(fleet)) == ("free", Reason.MEMORY_FIT)


def test_a_cold_model_goes_where_part_of_it_is_in_memory_already() -> None:
    part = model("part@1", 40, load_s=4.0)
    whole = model("whole@1", files={**part.files, "own": MB}, load_s=4.1)
    fleet = snapshot(worker("a"), worker("b", part), models=(part, whole), demand={"whole@1": NOW})
    assert told(place(fleet)) == ("b", Reason.LOAD_CHEAPEST)


def test_a_cold_model_goes_to_the_least_loaded() -> None:
    cold = model()
    busy = worker("busy", outstanding=8, service_s={"other@1": 2.0})
    fleet = snapshot(busy, worker("idle", service_s={"other@1": 2.0}), models=(cold,), demand={cold.key: NOW})
    assert told(place(fleet)) == ("idle", Reason.LEAST_LOADED)


def test_a_cold_model_goes_to_whoever_was_faster_with_it() -> None:
    cold = model()
    slow, fast = worker("slow", service_s={cold.key: 2.0}), worker("fast", service_s={cold.key: 0.2})
    assert told(place(snapshot(slow, fast, models=(cold,), demand={cold.key: NOW}))) == (
        "fast",
        Reason.FASTEST,
    )


def test_between_equals_a_hash_decides_whoever_asks_in_whatever_order() -> None:
    cold, workers = model(), [worker(name) for name in "abcd"]
    there = place(snapshot(*workers, models=(cold,), demand={cold.key: NOW}))
    back = place(snapshot(*reversed(workers), models=(cold,), demand={cold.key: NOW}))
    assert there == back
    assert only(there).reason is Reason.TIE


def test_of_two_that_would_have_to_leave_the_one_goes_that_nobody_asks_for() -> None:
    used, unused, cold = model("used@1", 50), model("unused@1", 45), model("cold@1", 40)
    home = worker("w", used, unused)
    home = replace(home, held={"used@1": Held(1000, 1, 5.0), "unused@1": Held(1000, 900, 4.5)})
    decision = only(place(snapshot(home, models=(used, unused, cold), demand={"cold@1": NOW})))
    assert (decision.reason, decision.leave) == (Reason.ONLY_CANDIDATE, ("unused@1",))


def test_what_has_work_stays_until_others_have_waited_for_long() -> None:
    busy, cold = model("busy@1", 90), model("cold@1", 50, load_s=1.0)
    home = replace(worker("w", busy), held={"busy@1": Held(60.0, 0.0, 1.0)})
    soon = {"busy@1": Demand(50, 3.0), "cold@1": Demand(1, 4.0)}
    late = {"busy@1": Demand(50, 3.0), "cold@1": Demand(1, 7.0)}
    assert place(snapshot(home, models=(busy, cold), demand=soon)) == ()
    assert only(place(snapshot(home, models=(busy, cold), demand=late))).leave == ("busy@1",)


def test_what_was_just_loaded_and_has_work_stays() -> None:
    busy, cold = model("busy@1", 90), model("cold@1", 50, load_s=1.0)
    home = replace(worker("w", busy), held={"busy@1": Held(2.0, 0.0, 1.0)})
    late = {"busy@1": Demand(50, 3.0), "cold@1": Demand(1, 60.0)}
    assert place(snapshot(home, models=(busy, cold), demand=late)) == ()


def test_a_pipeline_leaves_together_with_what_it_shares_its_files_with() -> None:
    part, cold = model("part@1", 90), model("cold@1", 50)
    pipeline = model("pipeline@1", files=part.files)
    decision = only(place(snapshot(worker("w", part, pipeline), models=(part, pipeline, cold), demand={"cold@1": NOW})))
    assert sorted(decision.leave) == ["part@1", "pipeline@1"]


def test_small_ones_stay_where_a_large_one_makes_all_the_room() -> None:
    small = [model(f"small{number:02}@1", 1, load_s=0.01) for number in range(14)]
    large, cold = model("large@1", 66, load_s=5.0), model("cold@1", 68)
    home = worker("w", *small, large)
    fleet = snapshot(home, models=(*small, large, cold), demand={"cold@1": NOW})
    assert only(place(fleet)).leave == ("large@1",)


def test_what_shares_a_file_leaves_only_where_the_file_has_to() -> None:
    part, other = model("part@1", 40, load_s=0.1), model("other@1", 60, load_s=9.0)
    whole = model("whole@1", files={**part.files, "own": MB}, load_s=0.1)
    cold = model("cold@1", 60)
    home = worker("w", part, whole, other, budget=101)
    fleet = snapshot(home, models=(part, whole, other, cold), demand={"cold@1": NOW})
    assert only(place(fleet)).leave == ("other@1",)


def test_a_hot_model_gets_a_second_home_once_it_is_waited_for_longer_than_its_load_takes() -> None:
    hot = model("hot@1", 20)  # loads in two seconds
    fleet = (worker("home", hot), worker("other"))
    assert place(snapshot(*fleet, models=(hot,), demand={"hot@1": Demand(9, 1.9)})) == ()
    assert told(place(snapshot(*fleet, models=(hot,), demand={"hot@1": Demand(9, 2.1)}))) == (
        "other",
        Reason.SECOND_WORKER,
    )


def test_a_hot_model_gets_a_second_home_at_once_where_its_last_page_will_wait_for_longer_than_a_load() -> None:
    hot, just_come = model("hot@1", 20), Demand(10, 0.1)  # loads in two seconds
    slow = worker("home", hot, outstanding=4, service_s={"hot@1": 2.0})  # begins the tenth after seven
    fast = worker("home", hot, outstanding=4, service_s={"hot@1": 0.5})  # after less than two
    unknown = worker("home", hot, outstanding=4)
    other = worker("other")
    assert told(place(snapshot(slow, other, models=(hot,), demand={"hot@1": just_come}))) == (
        "other",
        Reason.SECOND_WORKER,
    )
    for home in (fast, unknown):
        assert place(snapshot(home, other, models=(hot,), demand={"hot@1": just_come})) == ()


def test_a_hot_model_gets_no_second_home_where_a_page_would_begin_no_sooner() -> None:
    hot = model("hot@1", 20)
    home = worker("home", hot, outstanding=4, service_s={"hot@1": 2.0})
    busy = worker("busy", outstanding=40, service_s={"else@1": 2.0})
    assert place(snapshot(home, busy, models=(hot,), demand={"hot@1": Demand(10, 0.1)})) == ()


@pytest.mark.parametrize("held_s", [None, 1.0])
def test_a_new_home_is_given_time_before_there_is_another(held_s: float | None) -> None:
    hot = model("hot@1", 20)
    second = worker("second", loading=frozenset({"hot@1"}))
    if held_s is not None:
        second = replace(worker("second", hot), held={"hot@1": Held(held_s, 0.0, 2.0)})
    fleet = snapshot(worker("home", hot), second, worker("third"), models=(hot,), demand={"hot@1": Demand(9, 30)})
    assert place(fleet) == ()


def test_a_second_home_takes_no_memory_from_what_was_used_lately() -> None:
    hot, used = model("hot@1", 20), model("used@1", 95)
    for idle_s, expected in ((10.0, ()), (60.0, ("used@1",))):
        other = worker("other", used, idle_s=idle_s)
        fleet = snapshot(worker("home", hot), other, models=(hot, used), demand={"hot@1": Demand(9, 30)})
        assert tuple(key for decision in place(fleet) for key in decision.leave) == expected


def test_spare_memory_is_filled_and_nothing_leaves_for_what_nobody_asks_for() -> None:
    models = tuple(model(f"m{number}@1", 30) for number in range(6))
    held: list[Model] = []
    for _ in models:
        made = place(snapshot(worker("w", *held), models=models))
        assert all(decision.reason is Reason.SPARE_MEMORY and not decision.leave for decision in made)
        held += [decision.model for decision in made]
    assert [one.key for one in held] == ["m0@1", "m1@1", "m2@1"]


def test_models_of_a_worker_that_died_come_first() -> None:
    models = tuple(model(f"m{number}@1") for number in range(5))
    made = place(snapshot(worker("w"), models=models, lost=frozenset({"m4@1"})))
    assert (made[0].model.key, made[0].reason) == ("m4@1", Reason.WORKER_LOST)


def test_a_model_that_no_worker_has_memory_for_waits_for_one_and_is_then_told_of() -> None:
    giant = model("giant@1", 500)
    assert place(snapshot(worker("w"), models=(giant,), demand={"giant@1": Demand(1, 30)})) == ()
    plan = plan_for("w", snapshot(worker("w"), models=(giant,), demand={"giant@1": Demand(1, 61)}))
    assert (plan.consume, plan.load) == (frozenset({"giant@1"}), ())
    assert plan.unheld[0].reason is Reason.TOO_LARGE


def pipeline(*sizes: int) -> Model:
    return model("pipeline@1", files={f"member {number}": size * MB for number, size in enumerate(sizes)})


def test_a_pipeline_whose_members_fit_one_at_a_time_is_taken_at_once_and_does_without_a_home() -> None:
    parts = pipeline(60, 70)
    plan = plan_for("w", snapshot(worker("w"), models=(parts,), demand={"pipeline@1": NOW}))
    assert (plan.consume, plan.load) == (frozenset({"pipeline@1"}), ())
    assert only(plan.unheld).reason is Reason.ONE_FILE_AT_A_TIME


def test_a_pipeline_whose_members_fit_one_at_a_time_goes_where_all_of_them_fit() -> None:
    parts = pipeline(60, 70)
    fleet = snapshot(worker("small"), worker("large", budget=200), models=(parts,), demand={"pipeline@1": NOW})
    decision = only(place(fleet))
    assert (decision.worker, decision.to_load) == ("large", True)


def test_a_pipeline_whose_members_take_turns_goes_where_most_of_it_is_in_memory() -> None:
    parts = pipeline(60, 70)
    member = model("member@1", files={"member 1": 70 * MB})
    for name in "abc":
        others = [worker(other) for other in "abc" if other != name]
        fleet = snapshot(*others, worker(name, member), models=(parts, member), demand={"pipeline@1": NOW})
        assert told(place(fleet)) == (name, Reason.ONE_FILE_AT_A_TIME)


def test_a_pipeline_with_a_member_that_fits_nowhere_waits_for_a_larger_worker_and_is_then_told_of() -> None:
    parts = pipeline(20, 101)
    assert place(snapshot(worker("w"), models=(parts,), demand={"pipeline@1": NOW})) == ()
    late = snapshot(worker("w"), models=(parts,), demand={"pipeline@1": Demand(1, 61)})
    assert told(place(late)) == ("w", Reason.TOO_LARGE)


def test_a_pipeline_whose_members_take_turns_is_not_taken_where_it_could_not_be_loaded() -> None:
    parts = pipeline(60, 70)
    bad = worker("bad", failed=frozenset({"pipeline@1"}))
    asked = {"pipeline@1": NOW}
    fleet = snapshot(bad, worker("good"), models=(parts,), demand=asked)
    assert told(place(fleet)) == ("good", Reason.ONE_FILE_AT_A_TIME)
    assert told(place(snapshot(bad, models=(parts,), demand=asked))) == ("bad", Reason.LOAD_FAILED)


def test_without_redis_members_take_turns_only_for_what_has_waited() -> None:
    parts = pipeline(60, 70)
    soon, late = {"pipeline@1": Demand(1, 5)}, {"pipeline@1": Demand(1, 11)}
    assert place(snapshot(worker("w"), models=(parts,), demand=soon, alone=True)) == ()
    assert told(place(snapshot(worker("w"), models=(parts,), demand=late, alone=True))) == (
        "w",
        Reason.ONE_FILE_AT_A_TIME,
    )


def test_a_model_that_failed_on_one_worker_is_tried_by_another_and_then_told_of() -> None:
    bad = model("bad@1")
    first, second = worker("a", failed=frozenset({"bad@1"})), worker("b")
    assert told(place(snapshot(first, second, models=(bad,), demand={"bad@1": NOW}))) == (
        "b",
        Reason.ONLY_CANDIDATE,
    )
    second = replace(second, failed=frozenset({"bad@1"}))
    decision = only(place(snapshot(first, second, models=(bad,), demand={"bad@1": NOW})))
    assert (decision.reason, decision.to_load) == (Reason.LOAD_FAILED, False)


def test_a_worker_tells_of_a_few_hopeless_models_at_a_time() -> None:
    bad = tuple(model(f"bad{number}@1") for number in range(50))
    failed = frozenset(one.key for one in bad)
    fleet = snapshot(worker("w", failed=failed), models=bad, demand=dict.fromkeys(failed, NOW))
    assert len(plan_for("w", fleet).consume) == TELLS_AT_ONCE


def test_without_redis_a_worker_serves_what_it_holds_and_takes_up_only_what_has_waited() -> None:
    held, cold = model("held@1"), model("cold@1")
    alone = {"models": (held, cold), "alone": True}
    waits = snapshot(worker("w", held), demand={"cold@1": Demand(1, 5)}, **alone)  # type: ignore[arg-type]
    waited = snapshot(worker("w", held), demand={"cold@1": Demand(1, 11)}, **alone)  # type: ignore[arg-type]
    assert (plan_for("w", waits).consume, plan_for("w", waits).load) == (frozenset({"held@1"}), ())
    assert told(plan_for("w", waited).load) == ("w", Reason.NO_REDIS)


def test_without_redis_no_worker_fails_pages_that_another_may_be_able_to_do() -> None:
    giant, bad = model("giant@1", 500), model("bad@1")
    demand = {"giant@1": Demand(1, 100.0), "bad@1": Demand(1, 100.0)}
    fleet = snapshot(worker("w", failed=frozenset({"bad@1"})), models=(giant, bad), demand=demand, alone=True)
    assert plan_for("w", fleet).consume == frozenset()


def test_while_others_may_not_have_been_heard_of_yet_a_worker_serves_what_it_holds_and_takes_nothing() -> None:
    held, cold = model("held@1"), model("cold@1")
    fleet = snapshot(worker("w", held), models=(held, cold), demand={"cold@1": Demand(9, 100.0)}, returning=True)
    plan = plan_for("w", fleet)
    assert (plan.consume, plan.load) == (frozenset({"held@1"}), ())


def test_a_draining_worker_is_nobodys_home() -> None:
    held = model("held@1")
    leaving = worker("leaving", held, draining=True)
    fleet = snapshot(leaving, worker("other"), models=(held,), demand={"held@1": NOW})
    assert plan_for("leaving", fleet).consume == frozenset()
    assert only(place(fleet)).worker == "other"


def test_a_model_in_use_is_handed_over_before_the_worker_that_drains_leaves_its_calls() -> None:
    used, unused = model("used@1", warm=False), model("unused@1", warm=False)
    leaving = worker("leaving", used, draining=True, idle_s=10.0)
    leaving = replace(leaving, held={**leaving.held, "unused@1": Held(1000.0, 500.0, 1.0)})
    models = (used, unused)
    before = snapshot(leaving, worker("other"), models=models)
    decision = only(place(before))
    assert (decision.model, decision.worker, decision.reason) == (used, "other", Reason.HANDED_OVER)
    assert plan_for("leaving", before).hand_over == {"used@1"}
    loads = snapshot(leaving, worker("other", loading=frozenset({"used@1"})), models=models)
    assert place(loads) == ()
    assert plan_for("leaving", loads).hand_over == {"used@1"}
    holds = snapshot(leaving, worker("other", used), models=models)
    assert place(holds) == ()
    assert plan_for("leaving", holds).hand_over == frozenset()


@pytest.mark.parametrize(
    "others",
    [
        (),
        (worker("other", draining=True),),
        (worker("other", budget=5),),
        (worker("other", pools=frozenset({"gpu"})),),
        (worker("other", failed=frozenset({"m@1"})),),
        (worker("other", silent_s=4.0),),
        (worker("other", stuck=True),),
    ],
)
def test_a_worker_that_drains_waits_for_nobody_who_cannot_take_its_models(others: tuple[Worker, ...]) -> None:
    used = model()
    fleet = snapshot(worker("leaving", used, draining=True, idle_s=1.0), *others, models=(used,))
    assert plan_for("leaving", fleet).hand_over == frozenset()
    assert place(fleet) == ()


def test_only_idle_models_leave_for_one_that_is_handed_over() -> None:
    used, busy, idle = model("used@1", 60), model("busy@1", 60, warm=False), model("idle@1", 40, warm=False)
    leaving = worker("leaving", used, draining=True, idle_s=1.0)
    other = worker("other", busy, idle)
    held = {"busy@1": Held(1000.0, 1.0, 1.0), "idle@1": Held(1000.0, 300.0, 1.0)}
    models = (used, busy, idle)
    assert place(snapshot(leaving, replace(other, held=held), models=models)) == ()
    held["busy@1"] = Held(1000.0, 100.0, 1.0)
    assert only(place(snapshot(leaving, replace(other, held=held), models=models))).leave == ("busy@1",)


def test_a_worker_that_misses_beats_is_given_nothing_new() -> None:
    cold = model()
    assert place(snapshot(worker("w", silent_s=3.5), models=(cold,), demand={cold.key: NOW})) == ()


def test_a_worker_that_lives_and_does_not_look_is_given_nothing_new() -> None:
    cold = model()
    busy = worker("busy", outstanding=50, service_s={"else@1": 2.0})
    fleet = snapshot(worker("stuck", stuck=True), busy, models=(cold,))
    assert only(place(replace(fleet, demand={cold.key: NOW}))).worker == "busy"


def test_models_of_a_pool_are_served_by_its_workers_alone() -> None:
    private = model("private@1", pool="private")
    fleet = snapshot(
        worker("public", pools=frozenset({"default"})),
        worker("private", pools=frozenset({"private"})),
        models=(private,),
        demand={"private@1": NOW},
    )
    assert only(place(fleet)).worker == "private"


def test_a_worker_leaves_the_queue_of_what_was_moved_to_another_pool() -> None:
    moved = model("moved@1", pool="private")
    fleet = snapshot(worker("public", moved, pools=frozenset({"default"})), models=(moved,))
    assert plan_for("public", fleet).consume == frozenset()


def test_every_worker_of_a_random_pool_takes_from_all_queues_that_it_could_hold() -> None:
    models = (random_pool(model("a@1")), random_pool(model("b@1")))
    giant = replace(random_pool(model("giant@1")), files={"giant": 500 * MB})
    fleet = snapshot(worker("w"), worker("v"), models=(*models, giant))
    for name in "wv":
        plan = plan_for(name, fleet)
        assert (plan.consume, plan.load) == (frozenset({"a@1", "b@1"}), ())


def test_least_outstanding_counts_pages_and_response_time_ignores_what_has_to_leave() -> None:
    held = model("held@1", 95)
    few = worker("few", held, outstanding=1, service_s={"held@1": 9.0})
    many = worker("many", outstanding=5, service_s={"held@1": 0.1})
    for strategy, winner in ((Strategy.LEAST_OUTSTANDING, "few"), (Strategy.RESPONSE_TIME, "many")):
        cold = model("cold@1", strategy=strategy)
        fleet = snapshot(few, many, models=(held, cold), demand={"cold@1": NOW})
        assert next(one.worker for one in place(fleet) if one.model is cold) == winner


def test_a_retired_model_is_served_while_work_waits_for_it_and_left_after() -> None:
    retired = model("old@1", wanted=False)
    assert plan_for("w", snapshot(worker("w", retired), models=(retired,))).consume == frozenset()
    waited = replace(retired, wanted=True)
    fleet = snapshot(worker("w"), models=(waited,), demand={"old@1": NOW})
    assert only(place(fleet)).to_load


def test_of_many_small_models_in_memory_those_are_listened_to_that_are_asked_for() -> None:
    models = tuple(model(f"m{number:03}@1", 0) for number in range(200))
    fleet = snapshot(worker("w", *models), models=models, demand={"m199@1": NOW})
    consume = plan_for("w", fleet).consume
    assert len(consume) == QUEUES_AT_ONCE
    assert "m199@1" in consume


_SIZES = st.integers(1, 120)


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    models = tuple(
        model(f"m{number}@1", draw(_SIZES), pool=draw(st.sampled_from(["default", "fast"])))
        for number in range(draw(st.integers(1, 8)))
    )
    workers = tuple(_worker(draw, f"w{number}", models) for number in range(draw(st.integers(1, 5))))
    waiting = st.builds(Demand, st.integers(0, 50), st.floats(0, 100))
    demand = {one.key: draw(waiting) for one in models if draw(st.booleans())}
    lost = frozenset(one.key for one in models if draw(st.booleans()))
    return Snapshot(workers, models, demand, lost, alone=False)


def _worker(draw: st.DrawFn, name: str, models: tuple[Model, ...]) -> Worker:
    budget = draw(st.integers(50, 200))
    held: list[Model] = []
    for one in models:
        if draw(st.booleans()) and sum(each.needed_bytes for each in (*held, one)) <= budget * MB:
            held.append(one)
    rest = [one.key for one in models if one not in held]
    return worker(
        name,
        *held,
        budget=budget,
        idle_s=draw(st.floats(0, 300)),
        loading=frozenset(draw(st.lists(st.sampled_from(rest), max_size=2))) if rest else frozenset(),
        pools=frozenset(draw(st.sampled_from([[], ["default"], ["fast"], ["default", "fast"]]))),
        outstanding=draw(st.integers(0, 20)),
        service_s={one.key: draw(st.floats(0.01, 5)) for one in held},
        draining=draw(st.booleans()),
        silent_s=draw(st.sampled_from([0.0, 1.0, 4.0])),
    )


@settings(max_examples=100)
@given(snapshots(), st.randoms(use_true_random=False))
def test_everyone_decides_alike_and_each_model_gets_one_new_home_at_most(fleet: Snapshot, random) -> None:  # type: ignore[no-untyped-def]
    workers = list(fleet.workers)
    random.shuffle(workers)
    shuffled = replace(fleet, workers=tuple(workers))
    assert sorted(map(repr, place(shuffled))) == sorted(map(repr, place(fleet)))
    assert max(Counter(decision.model.key for decision in place(fleet)).values(), default=1) == 1
    loads = [(one.name, decision) for one in fleet.workers for decision in plan_for(one.name, fleet).load]
    assert len({decision.model.key for _, decision in loads}) == len(loads)


@settings(max_examples=100)
@given(snapshots())
def test_nobody_takes_what_does_not_fit_is_not_of_its_pool_or_while_it_drains(fleet: Snapshot) -> None:
    for one in fleet.workers:
        plan = plan_for(one.name, fleet)
        assert len(plan.load) + len(one.loading) <= max(COLD_AT_ONCE, len(one.loading))
        if one.draining:
            assert (plan.consume, plan.load) == (frozenset(), ())
        for decision in plan.load:
            assert one.serves(decision.model.pool)
            assert decision.model.needed_bytes <= one.budget_bytes
        for key in plan.consume - one.held.keys():
            assert {decision.reason for decision in plan.unheld if decision.model.key == key} <= {
                Reason.TOO_LARGE,
                Reason.LOAD_FAILED,
            }


@settings(max_examples=100)
@given(snapshots())
def test_what_is_held_afterwards_fits(fleet: Snapshot) -> None:
    models = {one.key: one for one in fleet.models}
    for one in fleet.workers:
        loads = plan_for(one.name, fleet).load
        leave = {key for decision in loads for key in decision.leave}
        after = (one.held.keys() - leave) | {decision.model.key for decision in loads}
        if loads and not one.loading:
            assert sum(models[key].needed_bytes for key in after) <= one.budget_bytes


@settings(max_examples=100)
@given(snapshots())
def test_none_of_those_that_leave_could_have_stayed(fleet: Snapshot) -> None:
    models = {one.key: one for one in fleet.models}
    for one in fleet.workers:
        loads = plan_for(one.name, fleet).load
        if len(loads) != 1 or one.loading:
            continue
        (decision,) = loads
        after = (one.held.keys() - set(decision.leave)) | {decision.model.key}
        for key in decision.leave:
            assert sum(models[held].needed_bytes for held in (*after, key)) > one.budget_bytes


@settings(max_examples=100)
@given(snapshots())
def test_nothing_in_use_leaves_for_what_nobody_waits_for(fleet: Snapshot) -> None:
    for decision in place(fleet):
        if fleet.waiting_for(decision.model.key).waiting:
            continue
        if decision.reason is not Reason.HANDED_OVER:
            assert decision.leave == ()
        (home,) = (one for one in fleet.workers if one.name == decision.worker)
        assert all(home.held[key].idle_s >= SPARED_IDLE_S for key in decision.leave)


def gold_of(one: Model, **more: object) -> Model:
    """Return the model in the pool of a tier: the same version and the same files."""
    return replace(one, key=f"{one.key}~gold", pool="gold", warm=False, **more)  # type: ignore[arg-type]


def test_a_version_in_the_pool_of_a_tier_is_taken_by_the_workers_of_that_pool() -> None:
    one = model("m@1")
    gold = gold_of(one)
    asked = snapshot(
        worker("shared", pools=frozenset({"default"})),
        worker("of gold", pools=frozenset({"gold"})),
        models=(one, gold),
        demand={gold.key: Demand(1, 0.1)},
    )
    assert [(made.worker, made.model.key) for made in place(asked) if made.reason is not Reason.SPARE_MEMORY] == [
        ("of gold", "m@1~gold")
    ]


def test_a_worker_that_serves_both_pools_holds_the_version_once_and_takes_from_both_queues() -> None:
    one = model("m@1")
    both = worker("w", one, pools=frozenset({"default", "gold"}))
    seen = snapshot(both, models=(one, gold_of(one)), demand={"m@1~gold": Demand(1, 0.1)})
    plan = plan_for("w", seen)
    assert plan.consume == {"m@1", "m@1~gold"}
    assert not plan.load


@pytest.mark.parametrize(("dedicated", "serves"), [(False, True), (True, False)])
def test_a_worker_that_names_no_pool_serves_every_pool_that_is_not_dedicated(dedicated: bool, serves: bool) -> None:
    one = model("m@1", warm=False)
    gold = gold_of(one, dedicated=dedicated)
    seen = snapshot(worker("w"), models=(one, gold), demand={gold.key: Demand(1, 0.1)})
    assert bool(place(seen)) is serves


def test_a_worker_of_a_pool_takes_nothing_from_other_pools() -> None:
    one = model("m@1")
    seen = snapshot(
        worker("of gold", one, pools=frozenset({"gold"})),
        models=(one, gold_of(one)),
        demand={"m@1": Demand(9, 9.0)},
    )
    assert plan_for("of gold", seen).consume == {"m@1~gold"}
    assert not plan_for("of gold", seen).load


def test_work_in_the_queue_of_a_pool_keeps_the_version_in_memory() -> None:
    one, other = model("m@1", size=60), model("n@1", size=60, pool="gold")
    gold = gold_of(one)
    seen = snapshot(
        worker("w", one, idle_s=0.0, pools=frozenset({"gold"})),
        models=(one, gold, other),
        demand={gold.key: Demand(1, 1.0), other.key: Demand(1, 2.0)},
    )
    assert not place(seen), "the version that waits is not displaced by another that has not waited longer"


def test_a_version_that_failed_to_load_is_not_loaded_for_another_queue() -> None:
    gold = gold_of(model("m@1"))
    seen = snapshot(
        worker("w", failed=frozenset({"m@1"}), pools=frozenset({"gold"})),
        models=(gold,),
        demand={gold.key: Demand(1, 1.0)},
    )
    assert [made.reason for made in place(seen)] == [Reason.LOAD_FAILED]
