"""Matches events with the filter of an endpoint: event names, or patterns such as `job.*`."""

from collections.abc import Iterable

from jobs.core.states import TERMINAL

EVENT_TYPES = tuple(sorted(f"job.{state}" for state in TERMINAL))
ALL, ALL_OF_JOBS = "*", "job.*"
TEST = "test.ping"
"""The event that is sent on request, whatever the filter of the endpoint."""


def wants(patterns: Iterable[str], event_type: str) -> bool:
    return any(_fits(pattern, event_type) for pattern in patterns)


def _fits(pattern: str, event_type: str) -> bool:
    if pattern.endswith("*"):
        return event_type.startswith(pattern[:-1])
    return pattern == event_type


def is_known(pattern: str) -> bool:
    """Return whether the pattern can match. An endpoint with any other pattern would never get a message."""
    return pattern in (ALL, ALL_OF_JOBS, *EVENT_TYPES)
