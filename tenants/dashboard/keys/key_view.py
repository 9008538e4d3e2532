"""A key as a row of the list and on its own pages, and the command to try a new key with. No queries."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import CreatedKey
from tenants.dashboard.keys.scope_texts import in_words
from tenants.dashboard_base.wording import ago, until

SOON_S = 14 * 86_400
_SHOWN = ("id", "name", "prefix", "created_at", "last_used_at", "last_used_from")
_HARMLESS = (
    ("models:read", "", "v1/models"),
    ("jobs:read", "", "v1/jobs"),
    ("documents:read", "", "v1/documents"),
    ("events:read", "-X POST ", "v1/tickets"),
)
"""Calls that a scope allows and that cost nothing."""


def key_views(keys: Sequence[ApiKey], now: datetime) -> list[dict[str, Any]]:
    replaced = {key.replaces_id for key in keys}
    return [key_view(key, now, replaced=key.id in replaced) for key in keys]


def key_view(key: ApiKey, now: datetime, *, replaced: bool = False) -> dict[str, Any]:
    """Return what the templates show. A key is `ending` if it was replaced but still works for a while."""
    state = _state(key, now, replaced)
    return {name: getattr(key, name) for name in _SHOWN} | {
        "mode": "live" if key.livemode else "test",
        "scopes": in_words(key.scopes),
        "scope_names": ", ".join(key.scopes),
        "created": ago(key.created_at, now),
        "creator": key.created_by.email if key.created_by else "",
        "last_used": ago(key.last_used_at, now),
        "models": ", ".join(key.allowed_models),
        "networks": ", ".join(key.allowed_networks),
        "state": state,
        "works": state in {"active", "ending"},
        "ends_at": key.revoked_at or key.expires_at,
        "ends": _end(key, now, state),
        "ends_soon": bool(key.expires_at and (key.expires_at - now).total_seconds() < SOON_S),
    }


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


def first_call(made: CreatedKey, public_url: str) -> str:
    """Return a command by the public URL. It is empty if every call that the key may make changes something."""
    for scope, method, path in _HARMLESS:
        if scope in made.key.scopes:
            return f"curl {method}-H 'Authorization: Bearer {made.text}' {public_url.rstrip('/')}/{path}"
    return ""
