"""Chooses the order in which units go: each time the one whose loss the others make up for best.

The cost of a unit is the squared error of the result after the weights of the remaining units have been fitted anew
(optimal brain surgeon, for all columns of a unit at once). The inverse of the second moments is updated, not computed
anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Columns = npt.NDArray[np.int64]

SELECTION_RIDGE = 1e-6
_BLOCKS = 32
_MAX_BLOCK = 32


@dataclass(slots=True)
class Problem:
    """The state of one weight that reads the units."""

    inverse: Matrix
    weight: Matrix
    columns: list[Columns]
    """The columns of each unit."""

    @classmethod
    def of(cls, second: Matrix, weight: Matrix, units: Columns, count: int, energy: float) -> "Problem":
        """Prepare a weight from the second moments of its inputs and the energy of its results."""
        scale = np.sqrt(np.diag(second))
        scale[scale == 0] = 1.0
        scaled = second / scale / scale[:, None]
        inverse = np.linalg.inv(scaled + SELECTION_RIDGE * np.eye(len(scaled)))
        product = weight * scale[:, None] / np.sqrt(energy)
        if product.shape[1] > len(product):
            product = np.asarray(np.linalg.qr(product.T, mode="r")).T
        return cls((inverse + inverse.T) / 2, product, [np.flatnonzero(units == unit) for unit in range(count)])

    def costs(self, units: Sequence[int]) -> Matrix:
        columns = [self.columns[unit] for unit in units]
        if all(len(one) == 1 for one in columns):
            flat = np.concatenate(columns)
            return np.asarray((self.weight[flat] ** 2).sum(axis=1) / self.inverse[flat, flat])
        return np.array([self._cost(one) for one in columns])

    def _cost(self, columns: Columns) -> float:
        if not len(columns):
            return 0.0
        weight = self.weight[columns]
        return float((weight * np.linalg.solve(self.inverse[np.ix_(columns, columns)], weight)).sum())

    def part(self, units: Sequence[int]) -> "Problem":
        """Copy what concerns these units alone. Their numbers become 0, 1, 2 …"""
        columns = [self.columns[unit] for unit in units]
        flat = np.concatenate(columns)
        limits = np.cumsum([0, *(len(one) for one in columns)])
        own = [np.arange(limits[i], limits[i + 1]) for i in range(len(units))]
        return Problem(self.inverse[np.ix_(flat, flat)], self.weight[flat], own)

    def remove(self, units: Sequence[int]) -> None:
        gone = np.concatenate([self.columns[unit] for unit in units])
        if not len(gone):
            return
        factor = np.linalg.solve(self.inverse[np.ix_(gone, gone)], self.inverse[gone])
        self.weight = self.weight - factor.T @ self.weight[gone]
        self.inverse = self.inverse - self.inverse[:, gone] @ factor
        left = np.ones(len(self.inverse), bool)
        left[gone] = False
        self.inverse, self.weight = self.inverse[np.ix_(left, left)], self.weight[left]
        places = np.cumsum(left) - 1
        for unit, columns in enumerate(self.columns):
            self.columns[unit] = columns[:0] if unit in units else places[columns]


@dataclass(frozen=True, slots=True)
class Elimination:
    order: tuple[int, ...]
    """The units in the order in which they go. Those that are not named stay."""
    costs: tuple[float, ...]
    """The relative squared error that each of them adds."""

    def kept(self, units: int, count: int) -> npt.NDArray[np.bool_]:
        kept = np.ones(units, bool)
        kept[list(self.order[: units - count])] = False
        return kept


def eliminate(problems: Sequence[Problem], units: int, least: int, partitions: Sequence[Columns] = ()) -> Elimination:
    """Order the units until only `least` are left. Of the units of each partition one stays in any case."""
    alive = list(range(units))
    order: list[int] = []
    costs: list[float] = []
    while len(alive) > least:
        total = np.sum([problem.costs(alive) for problem in problems], axis=0)
        block = min(max(len(alive) // _BLOCKS, 1), _MAX_BLOCK, len(alive) - least)
        candidates = [alive[i] for i in np.argsort(total, kind="stable")[: 2 * block]]
        chosen = _best_of(problems, candidates, block, partitions, set(alive))
        if not chosen:
            break
        for problem in problems:
            problem.remove([unit for unit, _ in chosen])
        order += [unit for unit, _ in chosen]
        costs += [max(cost, 0.0) for _, cost in chosen]
        gone = {unit for unit, _ in chosen}
        alive = [unit for unit in alive if unit not in gone]
    return Elimination(tuple(order), tuple(costs))


def _best_of(
    problems: Sequence[Problem], candidates: list[int], count: int, partitions: Sequence[Columns], alive: set[int]
) -> list[tuple[int, float]]:
    """Choose among the candidates one after the other. Only their own part of the state is kept current."""
    parts = [problem.part(candidates) for problem in problems]
    places = list(range(len(candidates)))
    chosen: list[tuple[int, float]] = []
    while places and len(chosen) < count:
        total = np.sum([part.costs(places) for part in parts], axis=0)
        free = [i for i, place in enumerate(places) if not _empties(candidates[place], partitions, alive)]
        if not free:
            break
        best = min(free, key=lambda i: float(total[i]))
        place = places.pop(best)
        chosen.append((candidates[place], float(total[best])))
        alive.discard(candidates[place])
        for part in parts:
            part.remove([place])
    return chosen


def _empties(unit: int, partitions: Sequence[Columns], alive: set[int]) -> bool:
    return any(unit in part and sum(int(other) in alive for other in part) < 2 for part in partitions)
