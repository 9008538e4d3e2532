"""Test that the code that runs a model is notified of the loads that it waits for."""

import time

from inference.engine.engine import Engine
from inference.runtime.load_watch import waiting_for_load, watching_loads
from inference.runtime.providers import CPU, plan_execution
from inference.runtime.session_host import SessionHost
from tests.inference.registry.builtin.served import builtin_specs


def test_first_load_is_told_and_the_next_use_of_the_session_is_not() -> None:
    engine = Engine(SessionHost(plan_execution([CPU], threads=2, has_nvidia_gpu=False), budget_bytes=1 << 30))
    spec, told = builtin_specs()["embed"], []
    with watching_loads(lambda: told.append("begun")) as first:
        engine.load(spec)
    with watching_loads(lambda: told.append("begun again")) as second:
        engine.load(spec)
    assert told == ["begun"]
    assert first.waited_s > 0
    assert second.waited_s == 0


def test_several_loads_are_told_once_and_their_times_are_added() -> None:
    told: list[str] = []
    with watching_loads(lambda: told.append("begun")) as watch:
        for _ in range(2):
            with waiting_for_load(needed=True):
                started_s = time.monotonic()
                while time.monotonic() == started_s:
                    pass
    assert told == ["begun"]
    assert watch.waited_s > 0


def test_news_that_cannot_be_told_ends_no_load() -> None:
    def broken() -> None:
        raise RuntimeError("nobody listens")

    with watching_loads(broken) as watch, waiting_for_load(needed=True):
        assert watch.waited_s == 0


def test_a_load_that_nobody_watches_is_just_done() -> None:
    with waiting_for_load(needed=True):
        pass
