"""Define the limits of one caller, each with the key under which all processes count it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal
from uuid import UUID

from tenants.limits.rates.rates import Rates

Scope = Literal["tenant", "key", "model"]
Kind = Literal["requests", "tokens", "pages", "calls"]
WINDOW_S = 60
_FIELDS: Mapping[Kind, str] = {
    "requests": "requests_per_minute",
    "tokens": "tokens_per_minute",
    "pages": "pages_per_minute",
    "calls": "calls_at_once",
}


@dataclass(frozen=True)
class Limit:
    scope: Scope
    kind: Kind
    amount: int
    subject: str
    """The subject of the limit: ids, and for a model its name."""
    key: str
    """The key in Redis."""

    @cached_property
    def policy(self) -> str:
        """Return the limit's name in headers."""
        return self.kind if self.scope == "tenant" else f"{self.scope}-{self.kind}"

    @cached_property
    def is_rate(self) -> bool:
        return self.kind != "calls"


@dataclass(frozen=True, slots=True)
class ModelLimits:
    requests: tuple[Limit, ...] = ()
    tokens: tuple[Limit, ...] = ()
    pages: tuple[Limit, ...] = ()
    calls: tuple[Limit, ...] = ()


@dataclass(frozen=True, slots=True)
class CallerLimits(ModelLimits):
    """The limits of a caller: first the tenant's, then the key's. Both apply, so a key's limits can only be
    stricter.
    """

    models: Mapping[str, ModelLimits] = field(default_factory=dict)

    @property
    def every(self) -> tuple[Limit, ...]:
        """Return all limits. The limits of single models come after those for all models."""
        sets = (self, *self.models.values())
        return tuple(one for each in sets for one in (*each.requests, *each.tokens, *each.pages, *each.calls))

    def of_model(self, name: str) -> ModelLimits:
        return self.models.get(name, NOTHING_MORE)


NOTHING_MORE = ModelLimits()
UNLIMITED = CallerLimits()


def caller_limits(
    tenant_id: UUID,
    tenant: Rates,
    *,
    key_id: UUID | None = None,
    key: Rates | None = None,
    models: Mapping[str, Rates] | None = None,
) -> CallerLimits:
    whose: list[tuple[Scope, str, Rates]] = [("tenant", str(tenant_id), tenant)]
    if key_id is not None and key is not None:
        whose.append(("key", str(key_id), key))
    of_models = {
        name: ModelLimits(**_by_kind([("model", f"{tenant_id}:{name}", rates)]))
        for name, rates in (models or {}).items()
    }
    return CallerLimits(**_by_kind(whose), models=of_models)


def _by_kind(whose: list[tuple[Scope, str, Rates]]) -> dict[Kind, tuple[Limit, ...]]:
    return {
        kind: tuple(
            Limit(of, kind, amount, subject, f"maas:rate:{kind}:{of}:{subject}")
            for of, subject, rates in whose
            if (amount := getattr(rates, name)) is not None
        )
        for kind, name in _FIELDS.items()
    }
