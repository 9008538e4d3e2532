"""Decides which request gets the next free child, and which request is ended so that a tenant that used less can begin.

Tenants are compared by the time for which their requests had children recently. The tenant with the least time is next.
A request that has a child for longer than a moment is slow, and slow requests never keep all children from a tenant
that used less: the slow request that came last is ended. The others go on, so that long work is also finished.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

QUICK_S = 1.0
"""The seconds that nearly all requests stay below. The last one beyond may be ended for a tenant that used less."""
HALF_LIFE_S = 60.0
"""The seconds after which half of the time that a tenant used no longer counts."""
MIN_USED_S = 0.001
"""The used time below which a tenant is forgotten."""
MAX_REMEMBERED = 1_000


@dataclass(frozen=True, slots=True)
class Request:
    number: int
    """The number of the request in the order of arrival."""
    tenant: str
    since_s: float
    """The time of arrival or, if the request has a child, the time at which it got the child."""


class UsedTime:
    """The seconds for which each tenant had children, which decay by half-lives."""

    def __init__(self) -> None:
        self._used: dict[str, tuple[float, float]] = {}
        """The seconds of each tenant and the time of that value."""

    def add(self, tenant: str, seconds: float, now_s: float) -> None:
        self._used[tenant] = (self._left(tenant, now_s) + seconds, now_s)
        if len(self._used) > MAX_REMEMBERED:
            used = {key: self._left(key, now_s) for key in self._used}
            self._used = {key: (left_s, now_s) for key, left_s in used.items() if left_s >= MIN_USED_S}

    def of(self, held: Collection[Request], now_s: float) -> dict[str, float]:
        """Return the seconds of each tenant, including those of the requests that have a child now."""
        used = {tenant: self._left(tenant, now_s) for tenant in self._used}
        for request in held:
            used[request.tenant] = used.get(request.tenant, 0.0) + now_s - request.since_s
        return used

    def _left(self, tenant: str, now_s: float) -> float:
        seconds, as_of_s = self._used.get(tenant, (0.0, now_s))
        return float(seconds * 0.5 ** ((now_s - as_of_s) / HALF_LIFE_S))


def next_request(waiting: Collection[Request], used: Mapping[str, float]) -> Request | None:
    """Return the first request of the tenant that used the least time. It gets the next free child."""
    return min(waiting, key=lambda request: (used.get(request.tenant, 0.0), request.number), default=None)


def request_to_end(
    waiting: Collection[Request],
    held: Collection[Request],
    used: Mapping[str, float],
    *,
    children: int,
    now_s: float,
) -> Request | None:
    """Return the slow request to end if a tenant that used less waits. A single child must finish long work."""
    first = next_request(waiting, used)
    if first is None or children < 2 or _slow_in_s(held, children, now_s) != 0:
        return None
    last = max(held, key=lambda request: (request.since_s, request.number))
    return last if used.get(first.tenant, 0.0) < used.get(last.tenant, 0.0) else None


def look_again_in_s(held: Collection[Request], *, children: int, now_s: float) -> float:
    """Return the time until `request_to_end` may answer differently although no request comes or ends."""
    return _slow_in_s(held, children, now_s) or QUICK_S


def _slow_in_s(held: Collection[Request], children: int, now_s: float) -> float | None:
    if not held or len(held) < children:
        return None
    return max(0.0, max(request.since_s for request in held) + QUICK_S - now_s)
