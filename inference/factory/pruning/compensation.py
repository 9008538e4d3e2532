"""Fits a weight anew to the columns that are left, in closed form."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inference.factory.pruning.moments import Matrix, Moments

RIDGE = 1e-8
"""The share of its own second moment that is added to each column's, so that the fit stays finite."""
FEW_ROWS_RIDGE = 1e-4
"""The same where the rows are so few that a fit would follow their noise."""
_MANY_ROWS = 4
"""The rows for each column that are not few."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    weight: Matrix
    """The columns that go have rows of zeros."""
    constant: Matrix
    """A value to add to each result."""


def centered(moments: Moments, constant: bool) -> tuple[Matrix, Matrix | None]:
    """Return the second moments of the values, and their products with the error. The means go into a constant."""
    gram, cross = moments.gram[:-1, :-1], moments.cross
    if not constant or not moments.rows:
        return gram, None if cross is None else cross[:-1]
    sums = moments.gram[-1, :-1]
    shifted = gram - np.outer(sums, sums) / moments.rows
    return shifted, None if cross is None else cross[:-1] - np.outer(sums, cross[-1]) / moments.rows


def best_weight(moments: Moments, weight: Matrix, constant: bool) -> Matrix:
    """Return the weight that all columns together would have to make up for the error so far."""
    second, products = centered(moments, constant)
    return weight if products is None else weight + _solve(second, products, moments.rows)


def fit(moments: Moments, weight: Matrix, kept: npt.NDArray[np.bool_], constant: bool) -> Fit:
    """Fit the kept columns so that they give what all columns have given, and what made up for the error so far."""
    second, products = centered(moments, constant)
    lost = second[np.ix_(kept, ~kept)] @ weight[~kept]
    if products is not None:
        lost = lost + products[kept]
    fitted = np.zeros_like(weight)
    fitted[kept] = weight[kept] + _solve(second[np.ix_(kept, kept)], lost, moments.rows)
    if not constant or not moments.rows:
        return Fit(fitted, np.zeros(weight.shape[1]))
    shift = moments.gram[-1, :-1] @ (weight - fitted)
    if moments.cross is not None:
        shift = shift + moments.cross[-1]
    return Fit(fitted, shift / moments.rows)


def _solve(second: Matrix, products: Matrix, rows: int) -> Matrix:
    ridge = RIDGE if rows >= _MANY_ROWS * len(second) else FEW_ROWS_RIDGE
    scale = np.sqrt(np.diag(second).clip(0))
    scale[scale == 0] = 1.0
    scaled = second / scale / scale[:, None] + ridge * np.eye(len(second))
    return np.asarray(np.linalg.solve(scaled, products / scale[:, None]) / scale[:, None])


def energy(moments: Moments, weight: Matrix, constant: bool) -> float:
    """Return the sum of squares of the results, about their means if a constant can be fitted."""
    second, _ = centered(moments, constant)
    return max(float((weight * (second @ weight)).sum()), np.finfo(np.float64).tiny)


def squared_error(moments: Moments, weight: Matrix, fitted: Fit) -> float:
    """Return the sum of squares of what the fitted weight gives differently."""
    change = np.vstack([weight - fitted.weight, -fitted.constant])
    return max(float((change * (moments.gram @ change)).sum()), 0.0)
