"""Which events an endpoint wants: their names, or patterns such as `job.*`."""

from collections.abc import Iterable

from jobs.core.states import TERMINAL

EVENT_TYPES = tuple(sorted(f"job.{state}" for state in TERMINAL))
ALL, ALL_OF_JOBS = "*", "job.*"
TEST = "test.ping"
"""Sent on request, whatever the endpoint wants."""


def wants(patterns: Iterable[str], event_type: str) -> bool:
    return any(_fits(pattern, event_type) for pattern in patterns)


def _fits(pattern: str, event_type: str) -> bool:
    if pattern.endswith("*"):
        return event_type.startswith(pattern[:-1])
    return pattern == event_type


def is_known(pattern: str) -> bool:
    """A pattern that fits nothing would be an endpoint that never hears anything."""
    return pattern in (ALL, ALL_OF_JOBS, *EVENT_TYPES)
