"""An address that was never confirmed is taken over by the mail that reaches it: whoever typed it keeps no way in."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from tenants.accounts.models import User
from tenants.accounts.sessions import end_other_sessions
from tenants.authentication.sign_on.services import tell_accounts
from tenants.core.db.unit_of_work import current_alias


def never_confirmed(person: User) -> bool:
    return not EmailAddress.objects.filter(user_id=person.pk, verified=True).exists()


def drop_unproven_ways_in(*, person: User) -> None:
    """Whoever was mailed a link may be another than the one who signed up with the address."""
    with transaction.atomic(using=current_alias()):
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        if not never_confirmed(person):
            return
        for account in SocialAccount.objects.filter(user_id=person.pk):
            account.delete()
            tell_accounts("sign_on.removed", person, account.provider)
        Authenticator.objects.filter(user_id=person.pk).delete()
        end_other_sessions(person=person, kept=None)
