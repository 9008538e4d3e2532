"""The share of requests that begin too late, for several numbers of replicas at once."""

from typing import Any

import numpy as np
import numpy.typing as npt

from inference.scaling.pool import PoolNow

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
PAST_STEPS = 8
"""The steps into which the wait of the work that already waits is divided."""


def late_in_line(
    servers: Matrix, rates: Vector, now: PoolNow, *, step_s: float, waits_s: tuple[float, float]
) -> Vector:
    """Return how many requests would begin too late because more come than can be done.

    `servers` has a row for each number of replicas and a column for each step: the slots that work. `waits_s` is the
    wait that is aimed at, and the one that is promised. Work flows like water, in the order of its arrival: what came
    until a moment has begun in time if as much has begun that much later.
    """
    coming = rates * now.service_s * step_s
    begun = _begun(servers * step_s, coming, now.waiting_work_s)
    aim_s, promised_s = waits_s
    late = _late_of_coming(begun, coming, now.waiting_work_s, max(1, round(aim_s / step_s)))
    if now.waiting_work_s > 0:
        late = late + _late_of_waiting(begun, now, step_s=step_s, aim_s=aim_s)
        late = late + _late_for_longer(begun, now, step_s=step_s, promised_s=promised_s)
    found: Vector = late / now.service_s
    return found


def _late_of_coming(begun: Matrix, coming: Vector, waiting_work_s: float, later: int) -> Vector:
    came = waiting_work_s + np.cumsum(coming)
    in_time = begun[:, later:]
    judged = in_time.shape[1]
    late: Vector = np.clip(came[None, :judged] - in_time, 0.0, coming[None, :judged]).sum(axis=1)
    found: Vector = late * (len(coming) / max(1, judged))
    return found


def _begun(doable: Matrix, coming: Vector, waiting_work_s: float) -> Matrix:
    """Return the work that has begun by the end of each step.

    The backlog after a step is the largest of the differences between what came and what could be done since any step
    before it, or 0 (Lindley's recursion, solved with a running minimum).
    """
    came = waiting_work_s + np.cumsum(coming)
    net = came[None, :] - np.cumsum(doable, axis=1)
    lowest = np.minimum(np.minimum.accumulate(net, axis=1), 0.0)
    return came[None, :] - (net - lowest)


def _late_of_waiting(begun: Matrix, now: PoolNow, *, step_s: float, aim_s: float) -> Vector:
    """Return the work that waits already, has not waited too long yet, and will."""
    part = now.waiting_work_s / PAST_STEPS
    late = np.zeros(begun.shape[0])
    for index in range(PAST_STEPS):
        age_s = now.oldest_wait_s * (1 - (index + 0.5) / PAST_STEPS)
        left = round((aim_s - age_s) / step_s)
        if left >= 1:
            reached = begun[:, min(left, begun.shape[1]) - 1]
            late += np.clip((index + 1) * part - reached, 0.0, part)
    return late


def _late_for_longer(begun: Matrix, now: PoolNow, *, step_s: float, promised_s: float) -> Vector:
    """Return the work that waits already, once for every promised wait that it goes on waiting.

    Work that is too late already would otherwise wait for ever, since its promise can no longer be kept.
    """
    every = max(1, round(promised_s / step_s))
    left: Vector = np.clip(now.waiting_work_s - begun[:, every - 1 :: every], 0.0, None).sum(axis=1)
    return left


def late_by_chance(servers: Matrix, rates: Vector, now: PoolNow, *, step_s: float, wait_s: float) -> Vector:
    """Return how many requests would begin too late because arrivals and work are uneven, where there is enough of all.

    It is the wait of a queue with many servers (Erlang's formula as Halfin and Whitt approximate it, with the spread of
    the work).
    """
    offered = np.maximum(rates * now.service_s, 1e-9)[None, :]
    spare = servers - offered
    root = np.sqrt(offered)
    beta = np.maximum(spare, 0.0) / root
    waits = 1 / (1 + beta * _normal_ratio(beta))
    tail = np.exp(-2 * np.maximum(spare, 0.0) * wait_s / (now.service_s * (1 + now.service_spread**2)))
    late: Vector = waits * tail @ (rates * step_s)
    return late


def _normal_ratio(beta: Any) -> Any:
    """Return the share below `beta` over the density at `beta`, of a normal distribution."""
    density = np.exp(-(beta**2) / 2) / np.sqrt(2 * np.pi)
    # An approximation to 7.5e-8 (Abramowitz and Stegun 26.2.17).
    t = 1 / (1 + 0.2316419 * beta)
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    return (1 - density * poly) / np.maximum(density, 1e-300)
