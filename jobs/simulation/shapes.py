"""Arrivals and amounts of work made from a shape of traffic. The same seed always makes the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import acos, pi, sin

import numpy as np

from jobs.simulation.line import Numbers

DAY_S = 86_400.0
GRID_S = 1.0


@dataclass(frozen=True, slots=True)
class Rise:
    """A time in which several times as many requests come."""

    at_s: float
    lasts_s: float
    times: float


@dataclass(frozen=True, slots=True)
class Diurnal:
    """A sinusoid over the day, which is lowest at midnight and never below 0."""

    mean_per_s: float
    peak: float = 2.2
    """The highest rate as a multiple of the mean."""

    def rates(self, at_s: Numbers) -> Numbers:
        swing = _swing(self.peak)
        shape = np.maximum(0.0, 1 + swing * np.sin(2 * pi * at_s / DAY_S - pi / 2))
        found: Numbers = self.mean_per_s * shape / _mean_of(swing)
        return found


@dataclass(frozen=True, slots=True)
class Work:
    """The seconds of a slot that a request takes: log-normal, with this mean."""

    mean_s: float
    sigma: float = 0.3

    def draw(self, count: int, rng: np.random.Generator) -> Numbers:
        found: Numbers = rng.lognormal(np.log(self.mean_s) - self.sigma**2 / 2, self.sigma, count)
        return found


def arrivals(
    shape: Diurnal, ends_s: float, rng: np.random.Generator, rises: Sequence[Rise] = (), *, one_in: int = 1
) -> Numbers:
    """Return the times of a Poisson process with these rates, or of every `one_in`th of its requests."""
    at_s = np.arange(0.0, ends_s + GRID_S, GRID_S)
    rates = shape.rates(at_s) / one_in
    for rise in rises:
        rates[(at_s >= rise.at_s) & (at_s < rise.at_s + rise.lasts_s)] *= rise.times
    until = np.concatenate([[0.0], np.cumsum((rates[1:] + rates[:-1]) / 2 * GRID_S)])
    places = np.sort(rng.random(rng.poisson(until[-1]))) * until[-1]
    found: Numbers = np.interp(places, until, at_s)
    return found


def _swing(peak: float) -> float:
    """Return the amplitude at which the highest rate is `peak` times the mean, although no rate is below 0."""
    if not 1 <= peak < pi:
        raise ValueError(f"the peak of a sinusoid must be from 1 to 3.14 times its mean, not {peak:g}")
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 + middle) / _mean_of(middle) < peak else (low, middle)
    return low


def _mean_of(swing: float) -> float:
    """Return the mean of `max(0, 1 + swing * sin)`."""
    if swing <= 1:
        return 1.0
    zero = acos(-1 / swing)  # The half of the day, as an angle around its peak, in which the sinusoid is above 0.
    return (zero + swing * sin(zero)) / pi
