"""Requests an account's deletion, cancels it, begins it when its time has come, and ends it."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Literal
from urllib.parse import urljoin
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse

from tenants.accounts.mail import MailUnavailable, deliver
from tenants.accounts.members import locked_actor
from tenants.accounts.models import Membership, Tenant
from tenants.accounts.results import erase_results
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.billing.invoices.errors import NotBillable
from tenants.billing.invoices.services import draw_month
from tenants.billing.ledger.subscriptions import end_plan
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, current_alias, operator_work, unit_of_work
from tenants.core.errors import DomainError, NotPermitted
from tenants.core.months import Month
from tenants.identity.identity import Identity
from tenants.identity.roles import scopes_of

log = structlog.get_logger(__name__)
REMINDED = timedelta(days=7)
"""The time before the erasure at which owners are notified once more."""


class ConfirmationMismatch(DomainError):
    """The name of the account was not typed. The person who deletes an account must type it."""

    code = "confirmation_mismatch"


class NotClosing(DomainError):
    """The deletion was not requested, or has begun."""

    code = "tenant_not_closing"


def ask_to_close(*, identity: Identity, typed: str) -> Tenant:
    """Request the deletion. Nothing is done for the account from now on.

    Raises NotPermitted, ConfirmationMismatch, NotClosing.

    The plan stays until the erasure: one that began again would grant its included units twice, without a trial.
    """
    with unit_of_work(identity.tenant_id):
        _require_owner(identity)
        tenant = Tenant.objects.get(id=identity.tenant_id)
        if " ".join(typed.split()) != " ".join(tenant.name.split()):
            raise ConfirmationMismatch(f"Enter the name of the account exactly: {tenant.name}")
        if tenant.state != Tenant.State.ACTIVE:
            raise NotClosing(f"The account is already {tenant.state}.")
        now, grace = database_now(), timedelta(days=settings.MAAS_DELETION_GRACE_DAYS)
        tenant.state, tenant.closes_at = Tenant.State.CLOSING, now + grace
        # An owner who has just been notified needs no reminder.
        tenant.closing_notified_at = now if grace <= REMINDED else None
        _save(tenant, "tenant.closing")
        notification = partial(notify_owners, "asked", tenant, owners_of(tenant.id))
        transaction.on_commit(notification, using=current_alias(), robust=True)
    return tenant


def keep(*, identity: Identity) -> None:
    """Cancel the deletion as an owner. Everything is as it was before. Raises NotPermitted, NotClosing."""
    with unit_of_work(identity.tenant_id):
        _require_owner(identity)
        if _closing(identity.tenant_id).suspended_closing:
            raise NotClosing("The account is suspended. Only an operator of this service can cancel the deletion.")
        take_back(tenant_id=identity.tenant_id)


def take_back(*, tenant_id: UUID) -> None:
    """Cancel the deletion, in a transaction of its own or of the caller, an owner or operator. Raises NotClosing.

    A tenant that was suspended in the meantime is kept, and stays suspended.
    """
    with transaction.atomic(using=current_alias()):
        tenant = _closing(tenant_id)
        tenant.state = Tenant.State.SUSPENDED if tenant.suspended_closing else Tenant.State.ACTIVE
        tenant.closes_at, tenant.closing_notified_at, tenant.suspended_closing = None, None, False
        _save(tenant, "tenant.kept")


def begin_erasing(*, tenant_id: UUID) -> None:
    """Begin the erasure, which cannot be canceled from now on. Call this in operator work. Raises NotClosing.

    It waits for transactions that write for the tenant, and lets none write after that into an erased account.
    """
    with transaction.atomic(using=current_alias()):
        Tenant.objects.select_for_update().get(id=tenant_id)
        tenant = _closing(tenant_id)
        tenant.state = Tenant.State.ERASING
        _save(tenant, "tenant.erasing")
        erase_results(tenant_id=tenant_id)
        transaction.on_commit(partial(_bill_last, tenant_id), using=current_alias(), robust=True)


def _bill_last(tenant_id: UUID) -> None:
    """Bill the last month while there are still owners to notify. The monthly run bills what cannot be billed now."""
    end_plan(tenant_id=tenant_id)
    with suppress(NotBillable), operator_work():
        draw_month(tenant_id, Month.of(database_now().date()), closes=False)


def end_erasing(*, tenant_id: UUID) -> None:
    """End the erasure: remove the members and the name. This runs as operator work, after everything else is erased."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        tenant = Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)
        if tenant.state != Tenant.State.ERASING:
            return
        owners, named = owners_of(tenant_id), Tenant(id=tenant_id, name=tenant.name)
        gone, _ = Membership.objects.filter(tenant_id=tenant_id).delete()
        tenant.name, tenant.state = f"Deleted account {str(tenant_id)[-12:]}", Tenant.State.ERASED
        Tenant.objects.filter(id=tenant_id).update(name=tenant.name, state=tenant.state)
        record(
            tenant_id=tenant_id,
            action="tenant.erased",
            subject_id=tenant_id,
            subject=tenant.name,
            note=f"{gone} {'member was' if gone == 1 else 'members were'} removed with it.",
        )
        transaction.on_commit(partial(notify_owners, "erased", named, owners), using=OPERATOR, robust=True)


def owners_of(tenant_id: UUID) -> list[str]:
    owners = Membership.objects.filter(tenant_id=tenant_id, role=Membership.Role.OWNER, user__is_active=True)
    return list(owners.order_by("user__email").values_list("user__email", flat=True))


def _require_owner(identity: Identity) -> None:
    """Require an owner at this moment. Scopes do not show it: a closing account is read-only. Raises NotPermitted."""
    if "account:write" not in scopes_of(locked_actor(identity).role):
        raise NotPermitted("Only an owner can delete this account or cancel its deletion.")


def _closing(tenant_id: UUID) -> Tenant:
    tenant = Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)
    if tenant.state != Tenant.State.CLOSING:
        raise NotClosing(f"The account is {tenant.state}. Its deletion can be neither canceled nor started.")
    return tenant


def _save(tenant: Tenant, action: str) -> None:
    rows = Tenant.objects.filter(id=tenant.id)
    before = rows.values("state", "closes_at").get()
    rows.update(
        state=tenant.state,
        closes_at=tenant.closes_at,
        closing_notified_at=tenant.closing_notified_at,
        suspended_closing=tenant.suspended_closing,
    )
    changes = changes_between(before, {"state": tenant.state, "closes_at": tenant.closes_at})
    record(tenant_id=tenant.id, action=action, subject_id=tenant.id, subject=tenant.name, changes=changes)


def due_to_close() -> list[UUID]:
    """Return the tenants to erase, also those whose erasure was interrupted. Call this in operator work."""
    closing = Tenant.objects.filter(state=Tenant.State.CLOSING, closes_at__lte=Now())
    erasing = Tenant.objects.filter(state=Tenant.State.ERASING)
    return list((closing | erasing).order_by("closes_at").values_list("id", flat=True))


def remind_owners() -> int:
    """Notify owners a week before the erasure, once, as recorded first. Return how many accounts were notified."""
    reminded = 0
    with operator_work():
        near = Tenant.objects.filter(
            state=Tenant.State.CLOSING, closing_notified_at=None, closes_at__lte=Now() + REMINDED
        )
        for tenant in near[:100]:
            if near.filter(id=tenant.id).update(closing_notified_at=Now()):
                notify_owners("reminded", tenant, owners_of(tenant.id))
                reminded += 1
    return reminded


def notify_owners(what: Literal["asked", "reminded", "erased"], tenant: Tenant, addresses: Sequence[str]) -> None:
    """Send the notification. A failure is only logged: nobody waits for the email."""
    fate = "was deleted" if what == "erased" else f"will be deleted on {tenant.closes_at:%Y-%m-%d}"
    subject = " ".join(f"{tenant.name} {fate}".split())
    context = {
        "tenant": tenant,
        "link": urljoin(settings.MAAS_PUBLIC_URL, reverse("delete-tenant")),
        "service": settings.MAAS_PUBLIC_URL,
    }
    text = render_to_string(f"tenants/deletion/{what}.txt", context).strip() + "\n"
    for address in addresses:
        try:
            deliver(EmailMessage(subject, text, to=[address]))
        except MailUnavailable as error:
            log.warning("account_notice_not_mailed", error=error.detail)
