import numpy as np

from inference.scaling.traffic import Traffic

DAY_S, WEEK_S = 86_400.0, 7 * 86_400.0


def feed(traffic: Traffic, rate_at: "np.ufunc | object", begins_s: float, ends_s: float, every_s: float = 60.0) -> None:
    for since_s in np.arange(begins_s, ends_s, every_s):
        traffic.came(since_s, since_s + every_s, round(rate_at(since_s) * every_s))  # type: ignore[operator]


def office(at_s: float) -> float:
    return 20.0 if 8 <= at_s % DAY_S / 3600 < 18 else 1.0


def test_a_steady_rate_is_expected_to_stay() -> None:
    traffic = Traffic(lead_s=60)
    feed(traffic, lambda _: 5.0, 0, 7200)
    expected, weekly = traffic.expected(7200, step_s=10, steps=30)
    assert not weekly
    assert np.allclose(expected.rates, 5.0)
    assert expected.usual_rate == 5.0


def test_a_jump_is_believed_at_once() -> None:
    traffic = Traffic(lead_s=60)
    feed(traffic, lambda _: 5.0, 0, 7200)
    traffic.came(7200, 7215, 15 * 50)
    assert traffic.rate() == (50.0, True)
    assert traffic.expected(7215, step_s=10, steps=5)[0].usual_rate == 5.0


def test_chance_is_no_jump() -> None:
    traffic, rng, changed = Traffic(lead_s=60), np.random.default_rng(3), 0
    for since_s in range(0, 36_000, 15):
        traffic.came(since_s, since_s + 15, int(rng.poisson(2.0 * 15)))
        changed += traffic.rate()[1]
    assert changed < 10


def test_a_rise_goes_on_for_a_while() -> None:
    traffic = Traffic(lead_s=300)
    feed(traffic, lambda at_s: 10 + at_s / 300, 0, 7200)
    rates = traffic.expected(7200, step_s=60, steps=5)[0].rates
    assert rates[-1] > rates[0] > 30


def test_the_morning_of_last_week_is_expected_again() -> None:
    traffic = Traffic(lead_s=220)
    feed(traffic, office, 0, 2 * WEEK_S + 7.95 * 3600)
    expected, weekly = traffic.expected(2 * WEEK_S + 7.95 * 3600, step_s=30, steps=20)
    assert weekly
    assert expected.rates[0] < 8
    assert expected.rates[-1] > 15


def test_a_rise_is_foreseen_for_as_long_as_the_pool_takes_to_grow() -> None:
    traffic = Traffic(lead_s=300)
    feed(traffic, office, 0, 2 * WEEK_S + 7 * 3600)
    later = traffic.later(2 * WEEK_S + 7 * 3600, every_s=600, times=7)
    assert max(later[:5]) < 2
    assert min(later[5:]) > 15


def test_without_predictions_the_morning_comes_as_a_surprise() -> None:
    traffic = Traffic(lead_s=220, predicts=False)
    feed(traffic, office, 0, 2 * WEEK_S + 7.95 * 3600)
    expected, weekly = traffic.expected(2 * WEEK_S + 7.95 * 3600, step_s=30, steps=20)
    assert not weekly
    assert max(expected.rates) < 2


def test_another_week_than_the_last_is_not_predicted_from_it() -> None:
    rng = np.random.default_rng(4)
    noise = rng.uniform(1, 30, 3 * 7 * 24)
    traffic = Traffic(lead_s=220)
    feed(traffic, lambda at_s: noise[int(at_s // 3600)], 0, 2 * WEEK_S)
    assert not traffic.expected(2 * WEEK_S, step_s=30, steps=20)[1]


def test_what_nobody_saw_is_no_traffic() -> None:
    traffic = Traffic(lead_s=60)
    expected, weekly = traffic.expected(0, step_s=10, steps=3)
    assert not weekly
    assert expected.rates == (0.0, 0.0, 0.0)
