"""Puts the count of failed tries in front of a page that signs people in.

What counts is what this request did, not who sends it: whoever is signed in already may be guessing too.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from tenants.errors import DomainError
from tenants.pages.sign_in.addresses import client_address
from tenants.pages.sign_in.attempts import Attempt, forgive, reserve, take_back

View = Callable[..., HttpResponseBase]
_SIGNED_IN = "has_signed_in"


class TooManyAttempts(DomainError):
    """Raised to the page that words refusals for people."""

    code = "rate_limited"


def throttled_sign_in(view: View) -> View:
    @wraps(view)
    def counted(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        attempt = Attempt(
            request.POST.get("username", ""), client_address(request.META, settings.MAAS_PROXIES)
        )
        left_s = reserve(attempt)
        if left_s:
            raise TooManyAttempts(_words(left_s), extra={"retry_after_s": left_s})
        try:
            response = view(request, *args, **kwargs)
        except Exception:
            take_back(attempt)
            raise
        if getattr(request, _SIGNED_IN, False):
            forgive(attempt)
        return response

    return counted


@receiver(user_logged_in)
def _note_sign_in(request: HttpRequest, **kwargs: object) -> None:
    """The framework's own word: no answer of the page says as surely that the password was right."""
    setattr(request, _SIGNED_IN, True)


def _words(left_s: int) -> str:
    minutes = -(-left_s // 60)
    wait = f"{left_s} seconds" if left_s < 90 else f"{minutes} minutes"
    return (
        "Signing in failed too often with this e-mail address, or from where you are. To keep others from guessing "
        f"passwords, it cannot be tried for another {wait}."
    )
