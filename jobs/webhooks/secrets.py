"""The signing secrets, which are made from what the database holds and what only this installation knows."""

import os
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from jobs.webhooks.models import WebhookSecret
from jobs.webhooks.signing import secret_of

OVERLAP = timedelta(hours=24)
"""The time for which a rotated secret still signs beside its successor."""


def signing_secrets(tenant_id: UUID, endpoint_id: UUID | None, *, of_tests: bool = False) -> list[str]:
    """Return the secrets that sign, the newest first. An `endpoint_id` of None stands for the tenant's own secret,
    which is a different one for tests.
    """
    found = _of(tenant_id, endpoint_id, of_tests=of_tests)
    return [text_of(secret) for secret in found.order_by("-created_at", "-id")]


def lasting(tenant_id: UUID, endpoint_id: UUID | None, *, of_tests: bool = False) -> WebhookSecret:
    return _of(tenant_id, endpoint_id, of_tests=of_tests).filter(ends_at=None).get()


def new_secret(tenant_id: UUID, endpoint_id: UUID | None, *, of_tests: bool = False) -> str:
    made = WebhookSecret(tenant_id=tenant_id, endpoint_id=endpoint_id, of_tests=of_tests, salt=os.urandom(32))
    made.save(force_insert=True)
    return text_of(made)


def rotate(tenant_id: UUID, endpoint_id: UUID | None, *, of_tests: bool = False) -> str:
    """Replace the secret and return the new one. The previous secret signs for one more day. Secrets that were rotated
    out before it sign no more.
    """
    before = _of(tenant_id, endpoint_id, of_tests=of_tests)
    before.exclude(ends_at=None).update(ends_at=Now())
    before.filter(ends_at=None).update(ends_at=Now() + OVERLAP)
    return new_secret(tenant_id, endpoint_id, of_tests=of_tests)


def tenants_own_secret(tenant_id: UUID, *, of_tests: bool = False) -> str:
    """Return the tenant's own secret. The first call creates it. Concurrent first calls return the same secret."""
    lasting = _of(tenant_id, None, of_tests=of_tests).filter(ends_at=None)
    found = lasting.first()
    if found is None:
        new = WebhookSecret(tenant_id=tenant_id, endpoint_id=None, of_tests=of_tests, salt=os.urandom(32))
        WebhookSecret.objects.bulk_create([new], ignore_conflicts=True)
        found = lasting.get()
    return text_of(found)


def text_of(secret: WebhookSecret) -> str:
    if not settings.MAAS_KEY_PEPPER:
        raise ImproperlyConfigured(
            "MAAS_KEY_PEPPER is not set: the secrets of webhooks would be made of what the database holds alone. "
            "Set it as for API keys, in every process."
        )
    return secret_of(bytes(secret.salt), settings.MAAS_KEY_PEPPER)


def _of(tenant_id: UUID, endpoint_id: UUID | None, *, of_tests: bool = False) -> "QuerySet[WebhookSecret]":
    there = WebhookSecret.objects.filter(Q(ends_at=None) | Q(ends_at__gt=Now()))
    return there.filter(tenant_id=tenant_id, endpoint_id=endpoint_id, of_tests=of_tests)
