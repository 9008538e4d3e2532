"""Reads of a tenant's own keys. Call them inside its unit of work."""

from collections import Counter
from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from tenants.api_keys.models import ApiKey

SHOWN_ENDED = 50
KEPT_IN_VIEW = timedelta(days=90)
"""The time after which an ended key is no longer listed."""


def working_keys() -> QuerySet[ApiKey]:
    """Return the keys that work now, by the database's clock, like everything that expires."""
    return ApiKey.objects.filter(Q(expires_at=None) | Q(expires_at__gt=Now()), revoked_at=None)


def keys_for_listing() -> list[ApiKey]:
    """Return the working keys, newest first, then those that ended recently."""
    people = ApiKey.objects.select_related("created_by").order_by("-created_at", "-id")
    working = working_keys().select_related("created_by").order_by("-created_at", "-id")
    ended_since = timezone.now() - KEPT_IN_VIEW
    ended = people.filter(
        Q(revoked_at__gt=ended_since) | Q(revoked_at=None, expires_at__gt=ended_since, expires_at__lte=Now())
    )
    return [*working, *ended[:SHOWN_ENDED]]


def keys_made_by(user_id: UUID) -> list[ApiKey]:
    """Return the keys of this account that a person made and that still work."""
    return list(working_keys().filter(created_by_id=user_id).order_by("name", "id"))


def key_for_listing(key_id: str) -> ApiKey | None:
    """Return a key. Return None if the text is not an id, or if the key does not exist or belongs to another tenant."""
    try:
        return ApiKey.objects.select_related("created_by").filter(id=key_id).first()
    except ValidationError:
        return None


def name_of_key(tenant_id: UUID, key_id: UUID) -> str:
    """Return the name of a key, or an empty text if the key no longer exists."""
    key = ApiKey.objects.filter(tenant_id=tenant_id, id=key_id).first()
    return str(key or "")


def names_of_keys(seen: Collection[str]) -> dict[str, str]:
    """Return the names of working keys and those in `seen`, with prefixes if names repeat, as after a rotation."""
    wanted = working_keys() | ApiKey.objects.filter(id__in=seen)
    keys = list(wanted.only("id", "name", "public_id", "livemode", "cell"))
    times = Counter(key.name for key in keys)
    return {str(key.id): f"{key.name} ({key.prefix}_…)" if times[key.name] > 1 else key.name for key in keys}
