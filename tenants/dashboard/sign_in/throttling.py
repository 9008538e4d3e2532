"""Puts the count of failed tries in front of pages that sign people in, ask for secrets, or send mail.

What counts is what this request did, not who sends it: whoever is signed in already may be guessing too.
"""

from collections.abc import Callable
from functools import wraps
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
    """Raised to the page that words refusals for people."""

    code = "rate_limited"


def throttled_sign_in(view: View) -> View:
    """Forgiven once the framework says that somebody is signed in."""
    return _counted(
        view, SIGN_IN, whom=lambda request: request.POST.get("username", ""), is_right=_has_signed_in
    )


def throttled_mail(view: View) -> View:
    """Each counts, since each sends a mail; nothing of it tells whether the address is known."""
    return _counted(view, MAIL, whom=lambda request: request.POST.get("email", ""), is_right=_never)


def throttled_mail_again(view: View) -> View:
    """To an address that the page's own address stands for."""
    return _counted(view, MAIL, whom=lambda request: request.path, is_right=_never)


def throttled_own_mail(view: View) -> View:
    """To whoever is signed in."""
    return _counted(view, MAIL, whom=_own_address, is_right=_never)


def throttled_away(view: View) -> View:
    """Counted where it begins, at another service; nobody is named there yet."""
    return _counted(view, AWAY, whom=_place, is_right=_never)


def forgiven_away(view: View) -> View:
    """Where it ends: whoever is signed in then was not only knocking."""

    @wraps(view)
    def forgiving(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if _has_signed_in(request, response):
            forgive(Attempt(_place(request), client_address(request.META, settings.MAAS_PROXIES), AWAY))
        return response

    return forgiving


def throttled_passkey(view: View) -> View:
    """A passkey names nobody before it is looked at: each place is counted by itself, or one would shut it for all."""
    return _counted(view, SIGN_IN, whom=_place, is_right=_has_signed_in)


def throttled_passkey_again(view: View) -> View:
    """The page leads on in any case: what counts is that allauth says the passkey was right."""
    return _counted(view, CODE, whom=_own_address, is_right=_has_proved)


def throttled_password(view: View) -> View:
    """For pages that ask a signed-in person for their password again: whoever found their screen may guess it there."""
    return _counted(view, SIGN_IN, whom=_own_address, is_right=_leads_on)


def throttled_link(view: View) -> View:
    """For a page that asks whoever opens a mail's link for a password: each link is counted by itself."""
    return _counted(view, SIGN_IN, whom=lambda request: request.path, is_right=_leads_on)


def throttled_code(view: View) -> View:
    """Whoever comes so far has shown their password; the count of that is forgiven together with this one."""
    return _counted(view, CODE, whom=_who_comes, is_right=_has_signed_in)


def throttled_code_again(view: View) -> View:
    return _counted(view, CODE, whom=_own_address, is_right=_leads_on)


def _counted(
    view: View,
    bounds: Bounds,
    *,
    whom: Callable[[HttpRequest], str],
    is_right: Callable[[HttpRequest, HttpResponseBase], bool],
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
    """In a browser that is known as theirs, by that alone: nobody else's tries count there."""
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


def _place(request: HttpRequest) -> str:
    return f"whoever is at {client_address(request.META, settings.MAAS_PROXIES)}"


def _never(request: HttpRequest, response: HttpResponseBase) -> bool:
    return False


def _who_comes(request: HttpRequest) -> str:
    stage = LoginStageController.enter(request, AuthenticateStage.key)
    return str(stage.login.user.email) if stage and stage.login.user else ""


def _own_address(request: HttpRequest) -> str:
    return str(getattr(request.user, "email", ""))


@receiver(user_logged_in)
def _note_sign_in(request: HttpRequest, **kwargs: object) -> None:
    """The framework's own word: no answer of the page says as surely that the password was right."""
    setattr(request, _SIGNED_IN, True)


@receiver(authentication_step_completed)
def _note_proof(request: HttpRequest, **kwargs: object) -> None:
    setattr(request, _PROVED, True)


def _words(left_s: int, bounds: Bounds) -> str:
    minutes = -(-left_s // 60)
    wait = f"{left_s} seconds" if left_s < 90 else f"{minutes} minutes"
    if bounds is MAIL:
        return (
            "Too many mails were asked for with this e-mail address, or from where you are. Look for one that came "
            f"already; another can be asked for in {wait}."
        )
    if bounds is AWAY:
        return (
            "Signing in through another service was begun too often from where you are, and not finished. It can be "
            f"tried again in {wait}."
        )
    return (
        "Signing in failed too often with this e-mail address, or from where you are. To keep others from guessing "
        f"passwords, it cannot be tried for another {wait}."
    )
