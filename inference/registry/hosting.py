"""Pays the hours of the models of accounts that are in this worker's memory, before they run."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog
from django.db import InterfaceError, OperationalError, connections

from inference.core.errors import ModelFailed
from inference.registry.references import public_key, read_engine_key
from tenants.billing.hosting.services import HostedHour, pay_hour
from tenants.billing.ledger.errors import PaymentRequired

log = structlog.get_logger(__name__)
PRICE_KEPT_S = 60.0
"""Seconds after which a version without a price is looked up again."""
REFUSAL_KEPT_S = 1.0
OUTAGE_KEPT_S = 5.0
LEAVES_AFTER_S = 300.0
"""Seconds that a version without a call may stay in memory after its last paid hour has ended."""


@dataclass(frozen=True, slots=True)
class _Standing:
    until_s: float
    is_charged: bool = False
    refusal: ModelFailed | None = None


class HostedHours:
    """The hours of this worker. Any thread may use it."""

    def __init__(self, pay: Callable[..., HostedHour] = pay_hour, clock: Callable[[], float] = time.monotonic) -> None:
        self._pay = pay
        self._clock = clock
        self._known: dict[str, _Standing] = {}
        self._paying: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def is_paid(self, engine_key: str) -> bool:
        """Return whether the version may run now, as far as it is known without the database."""
        standing = self._known.get(engine_key)
        return standing is not None and standing.refusal is None and self._clock() < standing.until_s

    def pay(self, engine_key: str) -> None:
        """Pay the present hour of a version, unless that is done. Raises ModelFailed if there is no money for it."""
        if self.is_paid(engine_key):
            return
        with self._paying[engine_key]:
            standing = self._known.get(engine_key)
            if standing is None or self._clock() >= standing.until_s:
                standing = self._known[engine_key] = self._asked(engine_key)
        if standing.refusal is not None:
            raise ModelFailed(standing.refusal.code, standing.refusal.detail)

    def unpaid(self) -> Iterable[str]:
        """Return the versions that nobody has called since their last paid hour ended some minutes ago, each once."""
        now_s = self._clock()
        found = [
            key
            for key, standing in list(self._known.items())
            if standing.is_charged and now_s >= standing.until_s + LEAVES_AFTER_S
        ]
        for key in found:
            del self._known[key]
        return found

    def _asked(self, engine_key: str) -> _Standing:
        key, now_s = read_engine_key(engine_key), self._clock()
        if key is None or key.tenant_id is None:
            return _Standing(float("inf"))
        try:
            hour = self._pay(tenant_id=key.tenant_id, model=key.name, version=key.number)
        except PaymentRequired as error:
            detail = f"An hour of {public_key(engine_key)} in memory is paid before it runs. {error.detail}"
            return _Standing(now_s + REFUSAL_KEPT_S, refusal=ModelFailed(error.code, detail))
        except (OperationalError, InterfaceError) as error:
            # As for calls, nobody is refused while the database is away. The hour is charged when it is back.
            log.warning("hosting_not_charged", model=engine_key, error=str(error).strip())
            return _Standing(now_s + OUTAGE_KEPT_S)
        finally:
            connections.close_all()
        if hour.is_charged:
            return _Standing(now_s + hour.left_s, is_charged=True)
        return _Standing(now_s + min(PRICE_KEPT_S, hour.left_s))
