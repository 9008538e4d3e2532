"""Decides when a child that has ended is started again. The decision is pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """The policy of doubling delays. A child that has run for a while is started again at once."""

    first_delay_s: float = 0.5
    longest_delay_s: float = 30.0
    healthy_after_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Restart:
    """What to do after a child process has ended: how often it has ended quickly in a row, and the delay before it is
    started again.
    """

    failures: int
    delay_s: float


def after_exit(policy: RestartPolicy, failures_before: int, ran_s: float) -> Restart:
    """Return the next start of a child that ran for `ran_s` after `failures_before` quick ends in a row."""
    if ran_s >= policy.healthy_after_s:
        return Restart(failures=0, delay_s=0.0)
    doublings = min(failures_before, 32)
    return Restart(failures_before + 1, min(policy.longest_delay_s, policy.first_delay_s * 2**doublings))
