"""Confirmed addresses: those that people have confirmed, and those that operators vouch for."""

from allauth.account.models import EmailAddress
from django.db import transaction

from tenants.accounts.models import User
from tenants.core.db.unit_of_work import current_alias


def vouch_for(user: User) -> None:
    """Mark an address as confirmed, because an operator has confirmed it. The person's earlier address is removed."""
    with transaction.atomic(using=current_alias()):
        # A person who signed up with the address and never confirmed it loses it to the person whom an operator vouches
        # for.
        EmailAddress.objects.filter(email=user.email).exclude(user_id=user.pk).delete()
        EmailAddress.objects.filter(user_id=user.pk).delete()
        EmailAddress.objects.create(user_id=user.pk, email=user.email, verified=True, primary=True)


def has_address(user: User) -> bool:
    """Return whether a person has an address to confirm. One whom an operator created has none at first."""
    return bool(EmailAddress.objects.filter(user_id=user.pk).exists())


def belongs_to_another(email: str, user: User) -> bool:
    return User.objects.filter(email=email.lower()).exclude(pk=user.pk).exists()


def belongs_to_somebody(email: str) -> bool:
    """Return whether a person has the address, confirmed or not. A requested change to it does not count."""
    confirmed = EmailAddress.objects.filter(email=email.lower(), verified=True)
    return User.objects.filter(email=email.lower()).exists() or confirmed.exists()


def await_confirmation(user: User) -> None:
    """Store the unconfirmed address of a new person. Without any, they would count as created by an operator."""
    EmailAddress.objects.get_or_create(user_id=user.pk, email=user.email, defaults={"verified": False, "primary": True})
