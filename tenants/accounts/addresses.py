"""Which addresses count as confirmed: those that people have confirmed, and those that operators vouch for."""

from allauth.account.models import EmailAddress
from django.db import transaction

from tenants.accounts.models import User
from tenants.core.db.unit_of_work import current_alias


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


def belongs_to_somebody(email: str) -> bool:
    """Confirmed or not; what somebody merely asked to change theirs to is nobody's yet."""
    known = EmailAddress.objects.filter(email=email.lower(), verified=True)
    return User.objects.filter(email=email.lower()).exists() or known.exists()


def await_confirmation(user: User) -> None:
    """Of whoever signs up: the framework writes nothing down where somebody else asked to change theirs to it, and who
    has no address at all is taken for one whom an operator has made."""
    EmailAddress.objects.get_or_create(
        user_id=user.pk, email=user.email, defaults={"verified": False, "primary": True}
    )
