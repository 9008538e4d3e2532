"""The policies that are compared: the product's, the same without predictions, a fixed number, and Kubernetes' own."""

from collections import deque
from dataclasses import dataclass, field
from math import ceil

from inference.scaling.pool import PoolTerms
from inference.scaling.steering import Steering
from jobs.simulation.pool_run import Seen


@dataclass(slots=True)
class Ours:
    terms: PoolTerms
    begins_with: int
    predicts: bool = True
    _steering: Steering = field(init=False)

    def __post_init__(self) -> None:
        self._steering = Steering(self.terms, self.predicts)

    def first(self) -> int:
        return self.begins_with

    def wanted(self, seen: Seen) -> int:
        return self._steering.decide(seen.now, since_s=seen.since_s, came=seen.came).replicas


@dataclass(frozen=True, slots=True)
class Static:
    replicas: int

    def first(self) -> int:
        return self.replicas

    def wanted(self, seen: Seen) -> int:
        return self.replicas


@dataclass(slots=True)
class Hpa:
    """A HorizontalPodAutoscaler (autoscaling/v2) on the mean wait in the queue, with its default behavior."""

    terms: PoolTerms
    begins_with: int
    target_s: float = 0.005
    tolerance: float = 0.1
    down_window_s: float = 300.0
    _recommended: deque[tuple[float, int]] = field(default_factory=deque)

    def first(self) -> int:
        return self.begins_with

    def wanted(self, seen: Seen) -> int:
        now = seen.now
        waits = float(seen.waits.mean()) if len(seen.waits) else 0.0
        ratio = max(waits, now.oldest_wait_s) / self.target_s
        desired = now.replicas if abs(ratio - 1) <= self.tolerance else ceil(max(1, now.ready) * ratio)
        desired = min(max(desired, self.terms.least), self.terms.most)
        self._recommended.append((now.at_s, desired))
        while self._recommended[0][0] <= now.at_s - self.down_window_s:
            self._recommended.popleft()
        if desired < now.replicas:
            return min(now.replicas, max(count for _, count in self._recommended))
        # In 15 s, at most 4 more or twice as many, whichever is more.
        return min(desired, max(now.replicas + 4, 2 * now.replicas))
