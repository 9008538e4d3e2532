"""Gives an address that was never confirmed to the person who receives its email. The person who typed the address
keeps no way to sign in.
"""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from tenants.accounts.models import User
from tenants.accounts.sessions import end_other_sessions
from tenants.authentication.sign_on.services import notify_accounts
from tenants.core.db.unit_of_work import current_alias


def never_confirmed(person: User) -> bool:
    return not EmailAddress.objects.filter(user_id=person.pk, verified=True).exists()


def drop_unproven_ways_in(*, person: User) -> None:
    """Remove all ways to sign in of a person who never confirmed the address: another person got the link."""
    with transaction.atomic(using=current_alias()):
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        if not never_confirmed(person):
            return
        for account in SocialAccount.objects.filter(user_id=person.pk):
            account.delete()
            notify_accounts("sign_on.removed", person, account.provider)
        Authenticator.objects.filter(user_id=person.pk).delete()
        end_other_sessions(person=person, kept=None)
