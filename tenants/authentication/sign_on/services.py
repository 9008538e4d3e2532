"""Connects people with the services that they sign in through, disconnects them, and records this in their accounts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.account.signals import user_logged_in
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db import transaction
from django.dispatch import receiver

from tenants.accounts.models import User
from tenants.accounts.sessions import end_other_sessions
from tenants.audit.acting import PERSON, acting, acting_as
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.authentication.selectors import memberships_of
from tenants.authentication.sign_on.configured import SignOnProvider
from tenants.core.db.unit_of_work import current_alias, unit_of_work
from tenants.core.errors import DomainError


class ConnectedElsewhere(DomainError):
    """The error for an account at a sign-in service that is connected to another person, or for a person who has
    already connected another account of that service.
    """

    code = "sign_on_connected_elsewhere"


class LastSignInMethod(DomainError):
    """The person could no longer sign in without this service."""

    code = "last_sign_in_method"


def configured(provider_id: str) -> SignOnProvider | None:
    return next((provider for provider in settings.MAAS_SIGN_ON if provider.id == provider_id), None)


def name_of(provider_id: str) -> str:
    """Return the name of a provider, or its id if it is no longer configured but people had it."""
    found = configured(provider_id)
    return found.name if found else provider_id


def connect(*, person: User, account: SocialAccount) -> None:
    """Connect a person with an account at a service, unless they are already. Raises ConnectedElsewhere."""
    with transaction.atomic(using=current_alias()):
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        existing = SocialAccount.objects.filter(provider=account.provider, uid=account.uid).first()
        if existing is not None and existing.user_id == person.pk:
            return
        name = name_of(account.provider)
        if existing is not None:
            raise ConnectedElsewhere(f"Another profile here is already connected to this {name} account.")
        if SocialAccount.objects.filter(user_id=person.pk, provider=account.provider).exists():
            raise ConnectedElsewhere(f"You are already connected to another {name} account. Remove it first.")
        account.user = person
        account.save()
        notify_accounts("sign_on.connected", person, account.provider)


def disconnect(*, person: User, provider_id: str) -> bool:
    """Disconnect a person from a service. Return False if they were not connected. Raises LastSignInMethod."""
    with transaction.atomic(using=current_alias()):
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        found = SocialAccount.objects.filter(user_id=person.pk, provider=provider_id)
        if not found.exists():
            return False
        _require_another_way_in(person, provider_id)
        found.delete()
        notify_accounts("sign_on.removed", person, provider_id)
    return True


def _require_another_way_in(person: User, provider_id: str) -> None:
    """Require another way to sign in, through a provider that is still configured. Raises LastSignInMethod."""
    others = {provider.id for provider in settings.MAAS_SIGN_ON} - {provider_id}
    if (
        person.has_usable_password()
        or SocialAccount.objects.filter(user_id=person.pk, provider__in=others).exists()
        or Authenticator.objects.filter(user_id=person.pk, type=Authenticator.Type.WEBAUTHN).exists()
    ):
        return
    raise LastSignInMethod("This is your only way to sign in. Set a password first.")


def drop_unproven_ways_in(*, person: User) -> None:
    """Remove all ways to sign in of a person who never confirmed the address: another may have got the link."""
    with transaction.atomic(using=current_alias()):
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        if EmailAddress.objects.filter(user_id=person.pk, verified=True).exists():
            return
        for account in SocialAccount.objects.filter(user_id=person.pk):
            account.delete()
            notify_accounts("sign_on.removed", person, account.provider)
        Authenticator.objects.filter(user_id=person.pk).delete()
        end_other_sessions(person=person, kept=None)


def notify_accounts(action: str, person: User, provider_id: str) -> None:
    """Record the action in each account that the person belongs to. Call this in the transaction of the action."""
    changes = changes_between({}, {"through": name_of(provider_id)})
    if action == "sign_on.removed":
        changes = changes_between({"through": name_of(provider_id)}, {})
    for row in memberships_of(person.pk):
        with unit_of_work(row.tenant_id), _as(person):
            record(
                tenant_id=row.tenant_id,
                action=action,
                subject_id=person.pk,
                subject=person.email,
                changes=changes,
            )


def send_mail_about(person: User, what: str, provider_id: str) -> None:
    """Notify a person by email of a way to sign in that another person may have added."""
    about = {"through": name_of(provider_id)}
    get_adapter().send_notification_mail(f"socialaccount/email/account_{what}", person, context=about)


@contextmanager
def _as(person: User) -> Iterator[None]:
    """Set the current actor: a person who is about to be signed in is not yet known as the sender of the request."""
    identity = acting()
    with acting_as(lambda: replace(identity, kind=PERSON, actor_id=person.pk, name=person.email)):
        yield


@receiver(user_logged_in)
def note_sign_on(user: User, **kwargs: Any) -> None:
    through = kwargs.get("sociallogin")
    if through is not None:
        with transaction.atomic(using=current_alias()):
            notify_accounts("sign_on.used", user, through.account.provider)
