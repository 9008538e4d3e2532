"""Counts failed attempts on pages that sign people in, ask for secrets, or send email.

The count depends on what a request did, not on its sender: a person who is signed in already may be guessing too.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from allauth.account.signals import authentication_step_completed
from allauth.account.stages import LoginStageController
from allauth.mfa.stages import AuthenticateStage
from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from tenants.core.asgi.client_ip import client_address
from tenants.core.errors import DomainError
from tenants.dashboard.sign_in.attempts import (
    AWAY,
    CODE,
    MAIL,
    SIGN_IN,
    Attempt,
    Bounds,
    forgive,
    reserve,
    take_back,
)
from tenants.dashboard.sign_in.known_browsers import known_browser, remember_browser

View = Callable[..., HttpResponseBase]
_SIGNED_IN = "has_signed_in"
_PROVED = "has_proved_who_they_are"


class TooManyAttempts(DomainError):
    """The refusal of an attempt. It is raised to the code that shows refusals to people."""

    code = "rate_limited"
    gate = "sign_in_attempts"


def _counted(
    bounds: Bounds,
    whom: Callable[[HttpRequest], str],
    is_right: Callable[[HttpRequest, HttpResponseBase], bool],
    view: View,
) -> View:
    @wraps(view)
    def counted(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        attempt = _attempt(request, whom(request), bounds)
        left_s = reserve(attempt)
        if left_s:
            raise TooManyAttempts(_words(left_s, bounds), extra={"retry_after_s": left_s})
        try:
            response = view(request, *args, **kwargs)
        except Exception:
            take_back(attempt)
            raise
        if is_right(request, response):
            forgive(attempt)
            if bounds is CODE and is_right is _has_signed_in:
                forgive(_attempt(request, attempt.email, SIGN_IN))
        if _has_signed_in(request, response):
            remember_browser(response, str(request.user.email))  # type: ignore[union-attr]
        return response

    return counted


def _attempt(request: HttpRequest, whom: str, bounds: Bounds) -> Attempt:
    """Return the attempt. In a browser known as the person's, other people's attempts do not count."""
    browser = known_browser(request, whom) if bounds is SIGN_IN else ""
    if browser:
        return Attempt(f"{whom} in {browser}", "", bounds)
    return Attempt(whom, client_address(request.META, settings.MAAS_PROXIES), bounds)


def _has_signed_in(request: HttpRequest, response: HttpResponseBase) -> bool:
    return bool(getattr(request, _SIGNED_IN, False))


def _leads_on(request: HttpRequest, response: HttpResponseBase) -> bool:
    return response.status_code == 302


def _has_proved(request: HttpRequest, response: HttpResponseBase) -> bool:
    return bool(getattr(request, _PROVED, False))


def _path(request: HttpRequest) -> str:
    return request.path


def _place(request: HttpRequest) -> str:
    return f"anyone at {client_address(request.META, settings.MAAS_PROXIES)}"


def _never(request: HttpRequest, response: HttpResponseBase) -> bool:
    return False


def _who_comes(request: HttpRequest) -> str:
    stage = LoginStageController.enter(request, AuthenticateStage.key)
    return str(stage.login.user.email) if stage and stage.login.user else ""


def _own_address(request: HttpRequest) -> str:
    return str(getattr(request.user, "email", ""))


throttled_sign_in = partial(_counted, SIGN_IN, lambda request: request.POST.get("username", ""), _has_signed_in)
"""Counts sign-ins. An attempt is forgiven when the framework reports that the person is signed in."""
throttled_mail = partial(_counted, MAIL, lambda request: request.POST.get("email", ""), _never)
"""Counts every request, since each sends an email. The count does not reveal whether the address is known."""
throttled_mail_again = partial(_counted, MAIL, _path, _never)
"""Counts emails to an address that the URL of the page stands for."""
throttled_own_mail = partial(_counted, MAIL, _own_address, _never)
"""Counts emails to the person who is signed in."""
throttled_away = partial(_counted, AWAY, _place, _never)
"""Counts starts of sign-ins through another service by client IP, because no person is named yet."""
throttled_passkey = partial(_counted, SIGN_IN, _place, _has_signed_in)
"""Counts sign-ins with a passkey by client IP: no person is named yet, and one IP must not block all others."""
throttled_passkey_again = partial(_counted, CODE, _own_address, _has_proved)
"""Counts passkeys of a signed-in person. The page redirects in any case, so allauth's signal decides."""
throttled_password = partial(_counted, SIGN_IN, _own_address, _leads_on)
"""Counts passwords that a signed-in person is asked for again: another person at their screen may guess."""
throttled_link = partial(_counted, SIGN_IN, _path, _leads_on)
"""Counts passwords on a page that an emailed link opens. Each link has a separate count."""
throttled_code = partial(_counted, CODE, _who_comes, _has_signed_in)
"""Counts codes at sign-in. A right code also forgives the passwords, since a right password came before it."""
throttled_code_again = partial(_counted, CODE, _own_address, _leads_on)


def forgiven_away(view: View) -> View:
    """Forgive the attempts at the end of a sign-in through another service, if the person is signed in then."""

    @wraps(view)
    def forgiving(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if _has_signed_in(request, response):
            forgive(Attempt(_place(request), client_address(request.META, settings.MAAS_PROXIES), AWAY))
        return response

    return forgiving


@receiver(user_logged_in)
def _note_sign_in(request: HttpRequest, **kwargs: object) -> None:
    """Note the signal of a sign-in. No response shows as reliably that the password was right."""
    setattr(request, _SIGNED_IN, True)


@receiver(authentication_step_completed)
def _note_proof(request: HttpRequest, **kwargs: object) -> None:
    setattr(request, _PROVED, True)


def _words(left_s: int, bounds: Bounds) -> str:
    minutes = -(-left_s // 60)
    wait = f"{left_s} seconds" if left_s < 90 else f"{minutes} minutes"
    if bounds is MAIL:
        return (
            "Too many emails were requested for this address or from your network. Look for an earlier email, or try "
            f"again in {wait}."
        )
    if bounds is AWAY:
        return (
            "Too many sign-ins with another service were started from your network and not finished. "
            f"Try again in {wait}."
        )
    return f"Too many failed sign-ins with this email address or from your network. Try again in {wait}."
