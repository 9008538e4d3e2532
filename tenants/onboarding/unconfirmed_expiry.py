"""Deletes people who signed up and never confirmed their address, with the account that they created."""

from datetime import timedelta
from uuid import UUID

import structlog
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from tenants.accounts.models import Membership
from tenants.accounts.unconfirmed import forget, unconfirmed
from tenants.api_keys.models import ApiKey
from tenants.billing.ledger.models import LedgerTransaction, Wallet
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import operator_work

log = structlog.get_logger(__name__)
KEPT = timedelta(days=7)
"""The time for which such people are kept. It is longer than a confirmation link works."""
MOST = 50


def forget_unconfirmed() -> int:
    """Delete such people as a duty of the scheduler, up to a limit. Return how many were deleted."""
    with operator_work():
        old = unconfirmed().filter(_unused(), date_joined__lte=Now() - KEPT).order_by("date_joined")
        found = list(old.values_list("pk", flat=True)[:MOST])
    return sum(_forget_in_time(person_id) for person_id in found)


def _unused() -> Q:
    """Match people without a used account. An operator knows the people of an account with keys, money or work."""
    own = Membership.objects.filter(user_id=OuterRef(OuterRef("pk"))).values("tenant_id")
    used = (ApiKey, Wallet, LedgerTransaction, UsageRecord)
    return Q(*(~Exists(kind.objects.filter(tenant_id__in=own)) for kind in used))


def _forget_in_time(person_id: UUID) -> bool:
    """Delete one person. A failure does not stop the deletion of the others."""
    try:
        with operator_work():
            unused = _unused()
        return forget(person_id, only=unused)
    except Exception:
        log.exception("unconfirmed_user_not_deleted", user_id=str(person_id))
        return False
