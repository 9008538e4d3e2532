"""Steers one pool: it decides again and again, and knows the traffic and the decisions of the past."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import ceil

from inference.scaling.policy import decide, horizon_s, step_s
from inference.scaling.pool import PoolNow, PoolTerms, Wanted
from inference.scaling.taming import Tamed
from inference.scaling.traffic import MINUTE_S, Traffic

GROWS_FOR_S = 3600.0
"""The seconds within which a predicted rise is prepared for, where a pool may grow only step by step."""


@dataclass(frozen=True, slots=True)
class Decision:
    replicas: int
    """The number that the pool is to have now, after its taming."""
    wanted: Wanted
    """The number before it, and the reasons."""
    is_predicted: bool
    """Set if the traffic of a week ago decided."""


@dataclass(slots=True)
class Steering:
    terms: PoolTerms
    predicts: bool = True
    _traffic: Traffic = field(init=False)
    _tamed: Tamed = field(init=False)

    def __post_init__(self) -> None:
        self._traffic = Traffic(self.terms.lead_s, self.predicts)
        self._tamed = Tamed(self.terms.taming)

    def follow(self, terms: PoolTerms) -> None:
        """Take over changed terms, and keep what is known of the past."""
        self.terms, self._traffic.lead_s, self._tamed.taming = terms, terms.lead_s, terms.taming

    def remember(self, minutes: Iterable[tuple[int, int]]) -> None:
        """Take over what came in minutes of the past, in order, from an earlier process."""
        for minute, came in minutes:
            self._traffic.came(minute * MINUTE_S, (minute + 1) * MINUTE_S, came)

    def decide(self, now: PoolNow, *, since_s: float, came: int) -> Decision:
        """Decide on the pool as it is now, where so many requests have come since the last decision."""
        self._traffic.came(since_s, now.at_s, came)
        each_s = step_s(self.terms)
        steps = ceil(horizon_s(self.terms) / each_s)
        expected, is_predicted = self._traffic.expected(now.at_s, step_s=each_s, steps=steps)
        if is_predicted:
            every_s = self.terms.taming.up_every_s
            expected = replace(expected, later=self._traffic.later(now.at_s, every_s, ceil(GROWS_FOR_S / every_s)))
        wanted = decide(now, self.terms, expected)
        most, soon = self.terms.most, wanted.soon
        allowed = self._tamed.allowed(wanted.replicas, now.replicas, now.at_s, most=most, soon=soon)
        return Decision(allowed, wanted, is_predicted)
