"""Which addresses count as confirmed: those that people have confirmed, and those that operators vouch for."""

from allauth.account.models import EmailAddress
from django.db import transaction

from tenants.context import current_alias
from tenants.models import User


def vouch_for(user: User) -> None:
    """Their address is theirs, because whoever may set it says so; another one that they had is theirs no more."""
    with transaction.atomic(using=current_alias()):
        # Who signed up with it and never confirmed it loses it to the one whom an operator vouches for.
        EmailAddress.objects.filter(email=user.email).exclude(user_id=user.pk).delete()
        EmailAddress.objects.filter(user_id=user.pk).delete()
        EmailAddress.objects.create(user_id=user.pk, email=user.email, verified=True, primary=True)


def has_address(user: User) -> bool:
    """Whoever signed up has one from the same transaction on; whoever was made by an operator has none before."""
    return bool(EmailAddress.objects.filter(user_id=user.pk).exists())


def belongs_to_another(email: str, user: User) -> bool:
    return User.objects.filter(email=email.lower()).exclude(pk=user.pk).exists()
