"""Decides when a child that has ended is started again. The decision is pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """The policy of doubling delays, which are reset when a child has run for a while."""

    first_delay_s: float = 0.5
    longest_delay_s: float = 30.0
    healthy_after_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Restart:
    """What to do after a child process has ended again: how often it has ended in a row, and the delay before it is
    restarted.
    """

    failures: int
    delay_s: float


def after_exit(policy: RestartPolicy, failures_before: int, ran_s: float) -> Restart:
    """Return the next start of a child that ran for `ran_s` after `failures_before` quick ends in a row."""
    failures = 1 if ran_s >= policy.healthy_after_s else failures_before + 1
    doublings = min(failures - 1, 32)
    return Restart(failures, min(policy.longest_delay_s, policy.first_delay_s * 2**doublings))
