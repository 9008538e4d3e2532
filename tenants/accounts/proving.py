"""Requires a new proof of identity before dangerous actions: a code by email without password and second factor."""

import secrets
import time
from dataclasses import dataclass
from typing import Any

from allauth.account import app_settings
from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.core.mail import EmailMessage
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.crypto import constant_time_compare, salted_hmac

from tenants.accounts.mail import deliver
from tenants.accounts.models import User

DIGITS = 6
LASTS_S = 600
MAX_TRIES = 5
"""The most tries of one code. After them a person must request another code, and those are limited."""
METHOD = "mailed_code"
_KEPT = "mailed_code"
_PROVED = "proved_by_mailed_code"


@dataclass(frozen=True)
class _Sent:
    """A mailed code as it is stored in the session. The code itself is stored nowhere."""

    digest: str
    person: str
    sent_at_s: float
    tries: int

    @property
    def is_over(self) -> bool:
        return self.tries >= MAX_TRIES or time.time() - self.sent_at_s > LASTS_S


def has_nothing_to_show(person: Any) -> bool:
    """Return whether a person has neither a password nor a second factor, because they sign in only through other
    services.
    """
    return isinstance(person, User) and not person.has_usable_password() and not is_mfa_enabled(person)


def has_proved_lately(request: HttpRequest) -> bool:
    """Return whether a person has recently proved their identity with a mailed code."""
    held = request.session.get(_PROVED)
    if not isinstance(held, list) or held[0] != str(request.user.pk):
        return False
    return bool(time.time() - held[1] < app_settings.REAUTHENTICATION_TIMEOUT)


def must_prove_again(request: HttpRequest) -> bool:
    try:
        reauthentication_required(lambda _: None)(request)
    except ReauthenticationRequired:
        return True
    return False


def send_code(request: HttpRequest, person: User) -> None:
    """Send a code to the person's address. Raises MailUnavailable."""
    code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    context = {"code": code, "service": settings.MAAS_PUBLIC_URL, "minutes": LASTS_S // 60}
    text = render_to_string("account/email/mailed_code_message.txt", context).strip() + "\n"
    deliver(EmailMessage("Your confirmation code", text, to=[person.email]))
    _keep(request, _Sent(_digest(person, code), str(person.pk), time.time(), 0))


def is_code_on_its_way(request: HttpRequest, person: User) -> bool:
    sent = _sent(request)
    return sent is not None and sent.person == str(person.pk) and not sent.is_over


def take_code(request: HttpRequest, person: User, typed: str) -> bool:
    """Return whether the text is the code that was mailed. A code works once."""
    sent = _sent(request)
    if sent is None or not is_code_on_its_way(request, person):
        return False
    if constant_time_compare(sent.digest, _digest(person, "".join(typed.split()))):
        del request.session[_KEPT]
        request.session[_PROVED] = [str(person.pk), time.time()]
        return True
    _keep(request, _Sent(sent.digest, sent.person, sent.sent_at_s, sent.tries + 1))
    return False


def _digest(person: User, code: str) -> str:
    return salted_hmac("tenants.accounts.proving", f"{person.pk} {code}", algorithm="sha256").hexdigest()


def _keep(request: HttpRequest, sent: _Sent) -> None:
    request.session[_KEPT] = [sent.digest, sent.person, sent.sent_at_s, sent.tries]


def _sent(request: HttpRequest) -> _Sent | None:
    held = request.session.get(_KEPT)
    return _Sent(*held) if isinstance(held, list) else None
