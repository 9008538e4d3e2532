from dataclasses import replace

import numpy as np

from inference.scaling.pool import PoolNow, PoolTerms, Promise, Taming
from inference.scaling.steering import Steering
from inference.scaling.traffic import WEEK

TERMS = PoolTerms(Promise(0.95, 30), node_start_s=180, load_s=40, taming=Taming(up_share=0.2, down_share=0.1))
WEEKS = 2
PERIOD = 20
"""The minutes after which the rate repeats itself. In the first half it is three times as high as in the second."""


def steering_after_weeks(rates: "np.ndarray", terms: PoolTerms = TERMS) -> Steering:
    steering = Steering(terms)
    counts = np.random.default_rng(1).poisson(rates * 60.0)
    steering.remember(enumerate(counts.tolist()))
    return steering


def followed(steering: Steering, rates: "np.ndarray", *, first: int, looks: int) -> list[int]:
    """Return the replicas at each look of 15 seconds. All that are wanted are there."""
    chance, had, begins_s = np.random.default_rng(2), [first], WEEKS * WEEK * 60.0
    for look in range(looks):
        at_s = begins_s + 15.0 * (look + 1)
        came = int(chance.poisson(15.0 * rates[int(at_s / 60) % len(rates)]))
        now = PoolNow(at_s, ready=had[-1], service_s=3.5)
        had.append(steering.decide(now, since_s=at_s - 15.0, came=came).replicas)
    return had


def test_a_pool_does_not_shrink_before_a_rise_that_it_foresees_and_does_in_flat_traffic() -> None:
    minutes = np.arange(WEEKS * WEEK)
    waves = np.where(minutes % PERIOD < PERIOD // 2, 6.0, 2.0)
    had = followed(steering_after_weeks(waves), waves, first=32, looks=4 * 60)
    assert min(had) >= 29
    flat = np.full(WEEKS * WEEK, 2.0)
    had = followed(steering_after_weeks(flat), flat, first=16, looks=4 * 60)
    assert had[-1] <= 13


def test_a_lower_limit_is_obeyed() -> None:
    flat = np.full(WEEKS * WEEK, 28.0)
    steering = steering_after_weeks(flat)
    steering.follow(replace(TERMS, most=98))
    assert followed(steering, flat, first=100, looks=30)[-1] == 98
