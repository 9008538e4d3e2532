import numpy as np
import pytest

from inference.factory.pruning.compensation import centered, energy, fit, squared_error
from inference.factory.pruning.elimination import Problem, eliminate
from inference.factory.pruning.moments import Matrix, Moments


def _moments(values: Matrix) -> Moments:
    moments = Moments.empty(values.shape[1], None)
    moments.add(values, None)
    moments.settle()
    return moments


def _problem(moments: Moments, weight: Matrix, units: int) -> Problem:
    second, _ = centered(moments, True)
    owners = np.repeat(np.arange(units), len(weight) // units)
    return Problem.of(second, weight, owners, units, energy(moments, weight, True))


@pytest.mark.parametrize("width", [1, 3])
def test_copies_and_dead_units_go_first_and_cost_nothing(width: int) -> None:
    rng = np.random.default_rng(0)
    unique = rng.standard_normal((500, 8 * width))
    values = np.concatenate([unique, unique, np.ones((500, 4 * width))], axis=1)
    weight = rng.standard_normal((values.shape[1], 5))
    found = eliminate([_problem(_moments(values), weight, 20)], 20, 1)

    assert max(found.costs[:12]) < 1e-5
    assert found.costs[12] > 1e-3
    kept = found.kept(20, 8)
    assert [bool(kept[i]) + bool(kept[i + 8]) for i in range(8)] == [1] * 8
    assert not kept[16:].any()


def test_sum_of_costs_is_the_error_after_the_fit() -> None:
    rng = np.random.default_rng(1)
    values = rng.standard_normal((900, 30)) @ rng.standard_normal((30, 30))
    weight = rng.standard_normal((30, 4))
    moments = _moments(values)
    found = eliminate([_problem(moments, weight, 30)], 30, 1)

    for count in (29, 20, 7):
        kept = found.kept(30, count)
        error = squared_error(moments, weight, fit(moments, weight, kept, True)) / energy(moments, weight, True)
        assert sum(found.costs[: 30 - count]) == pytest.approx(error, rel=0.05)


def test_one_unit_of_each_partition_stays() -> None:
    rng = np.random.default_rng(2)
    values, weight = rng.standard_normal((100, 12)), rng.standard_normal((12, 3))
    values[:, :4] = 0
    found = eliminate([_problem(_moments(values), weight, 12)], 12, 1, [np.arange(4), np.arange(4, 12)])

    assert len(found.order) == 10
    assert found.kept(12, 2)[:4].sum() == 1


def test_fit_makes_up_for_the_error_that_came_before() -> None:
    rng = np.random.default_rng(3)
    values, weight = rng.standard_normal((400, 10)), rng.standard_normal((10, 3))
    change = rng.standard_normal((10, 3))
    moments = Moments.empty(10, 3)
    moments.add(values, values @ change + 2)
    moments.settle()
    fitted = fit(moments, weight, np.ones(10, bool), True)

    np.testing.assert_allclose(fitted.weight, weight + change, atol=1e-5)
    np.testing.assert_allclose(fitted.constant, 2, atol=1e-5)
