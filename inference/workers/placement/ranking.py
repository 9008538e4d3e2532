"""The choice among the workers that could take a model, with the reason for it."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inference.workers.placement.fleet import Reason, Strategy

NOTICED_S = 0.05
"""The smallest difference in seconds that counts. Smaller ones are noise and must not lead to two answers."""


@dataclass(frozen=True, slots=True)
class Option:
    """The costs of placing a model on one worker, in seconds."""

    worker: str
    leave: tuple[str, ...]
    loss_s: float
    """The time to bring back the models that have to leave."""
    load_s: float
    wait_s: float
    """The time until a thread is free for the model."""
    service_s: float
    outstanding: int


def choose(model: str, options: Sequence[Option], strategy: Strategy) -> tuple[Option, Reason]:
    """Return the best option and the reason. The result is the same for the same options in any order."""
    cost = _COSTS[strategy]
    ranked = sorted(options, key=lambda option: (round(cost(option) / NOTICED_S), _hash(model, option.worker)))
    if len(ranked) == 1:
        return ranked[0], Reason.ONLY_CANDIDATE
    return ranked[0], _difference(ranked[0], ranked[1], strategy)


_COSTS: dict[Strategy, Callable[[Option], float]] = {
    Strategy.STICKY: lambda option: option.loss_s + option.load_s + option.wait_s + option.service_s,
    # Whole pages decide. The models that have to leave decide only between equals.
    Strategy.LEAST_OUTSTANDING: lambda option: option.outstanding + min(0.9, option.loss_s / 100),
    Strategy.RESPONSE_TIME: lambda option: option.load_s + option.wait_s + option.service_s,
}


def _difference(best: Option, second: Option, strategy: Strategy) -> Reason:
    """Return the strongest reason for the best option against the second."""
    gains = {
        Reason.MEMORY_FIT: second.loss_s - best.loss_s,
        Reason.LOAD_CHEAPEST: second.load_s - best.load_s,
        Reason.LEAST_LOADED: second.wait_s - best.wait_s,
        Reason.FASTEST: second.service_s - best.service_s,
    }
    if strategy is Strategy.LEAST_OUTSTANDING:
        gains = {
            Reason.LEAST_LOADED: float(second.outstanding - best.outstanding),
            Reason.MEMORY_FIT: gains[Reason.MEMORY_FIT],
        }
    elif strategy is Strategy.RESPONSE_TIME:
        del gains[Reason.MEMORY_FIT]
    reason = max(gains, key=lambda reason_given: gains[reason_given])
    return reason if gains[reason] >= NOTICED_S else Reason.TIE


def _hash(model: str, worker: str) -> bytes:
    """Return a hash that spreads models over workers. Few models move when a worker comes or goes."""
    return hashlib.blake2b(f"{model}\0{worker}".encode(), digest_size=8).digest()
