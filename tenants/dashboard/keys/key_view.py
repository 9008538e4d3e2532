"""The view of a key as a row of the list and on its own pages. No queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenants.api_keys.models import ApiKey
from tenants.dashboard.keys.scope_texts import in_words
from tenants.dashboard_base.wording import ago, until

SOON_S = 14 * 86_400


@dataclass(frozen=True)
class KeyView:
    id: UUID
    name: str
    prefix: str
    mode: str
    scopes: str
    scope_names: str
    created_at: datetime
    created: str
    creator: str
    last_used_at: datetime | None
    last_used: str
    last_used_from: str
    models: str
    """The models that the key may run; empty if it may run any."""
    networks: str
    state: str
    """The state: `active`, `ending` (replaced, but still works for a while), `expired` or `revoked`."""
    ends_at: datetime | None
    ends: str
    ends_soon: bool

    @property
    def works(self) -> bool:
        return self.state in {"active", "ending"}


def key_views(keys: Sequence[ApiKey], now: datetime) -> list[KeyView]:
    replaced = {key.replaces_id for key in keys}
    return [key_view(key, now, replaced=key.id in replaced) for key in keys]


def key_view(key: ApiKey, now: datetime, *, replaced: bool = False) -> KeyView:
    state = _state(key, now, replaced)
    return KeyView(
        id=key.id,
        name=key.name,
        prefix=key.prefix,
        mode="live" if key.livemode else "test",
        scopes=in_words(key.scopes),
        scope_names=", ".join(key.scopes),
        created_at=key.created_at,
        created=ago(key.created_at, now),
        creator=key.created_by.email if key.created_by else "",
        last_used_at=key.last_used_at,
        last_used=ago(key.last_used_at, now),
        last_used_from=key.last_used_from,
        models=", ".join(key.allowed_models),
        networks=", ".join(key.allowed_networks),
        state=state,
        ends_at=key.revoked_at or key.expires_at,
        ends=_end(key, now, state),
        ends_soon=bool(key.expires_at and (key.expires_at - now).total_seconds() < SOON_S),
    )


def _state(key: ApiKey, now: datetime, replaced: bool) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= now:
        return "expired"
    return "ending" if replaced else "active"


def _end(key: ApiKey, now: datetime, state: str) -> str:
    if key.revoked_at is not None:
        return ago(key.revoked_at, now)
    if key.expires_at is None:
        return "never"
    return ago(key.expires_at, now) if state == "expired" else until(key.expires_at, now)
