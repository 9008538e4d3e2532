"""Write the error for a caller whom a limit refuses."""

import math
from collections.abc import Mapping

from tenants.core.errors import DomainError
from tenants.limits.rates.limits import WINDOW_S, Kind, Limit, Scope
from tenants.limits.rates.metrics import REFUSED

_WHOSE: Mapping[Scope, str] = {
    "tenant": "This account",
    "key": "This key",
    "model": "This account, for this model,",
}
_MAY: Mapping[Kind, str] = {
    "requests": "may make {amount} requests a minute",
    "tokens": "may use {amount} tokens a minute",
    "pages": "may have {amount} pages read a minute",
    "calls": "may make {amount} calls at once",
}


class RateLimited(DomainError):
    code = "rate_limited"
    gate = "rate_limits"


def rate_limited(limit: Limit, wait_s: float, why: str = "") -> RateLimited:
    pause_s = max(1, math.ceil(wait_s))
    REFUSED.labels(limit.scope, limit.kind).inc()
    allowed = _MAY[limit.kind].format(amount=f"{limit.amount:,}")
    said: dict[str, object] = {"scope": limit.scope, "name": limit.kind, "amount": limit.amount}
    if limit.kind != "calls":
        said["window_s"] = WINDOW_S
    return RateLimited(
        f"{_WHOSE[limit.scope]} {allowed}{why}. Send this again in {pause_s} s.",
        extra={"retry_after_s": pause_s, "limit": said, "violated-policies": [limit.policy]},
    )
