"""Knows browsers in which a person has signed in before, so that nobody is kept out by strangers' tries elsewhere.

Whoever has many addresses can fill the count of one e-mail address for ever. Tries in a known browser are counted by
themselves: as few of them, but nobody else can use them up. The cookie says nothing but that, and opens nothing.
"""

import hashlib
import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase

COOKIE = "known_browser"
LASTS_S = 365 * 24 * 3600
_SALT = "tenants.dashboard.sign_in.known_browsers"


def remember_browser(response: HttpResponseBase, email: str) -> None:
    """For whoever has just signed in. A new one each time: one that was copied is worth less from then on."""
    response.set_cookie(
        COOKIE,
        signing.dumps([_of(email), secrets.token_urlsafe(12)], salt=_SALT),
        max_age=LASTS_S,
        path="/sign-in",
        secure=bool(settings.SESSION_COOKIE_SECURE),
        httponly=True,
        samesite="Lax",
    )


def known_browser(request: HttpRequest, email: str) -> str:
    """Its name; empty where nobody has signed in there with that address."""
    try:
        of, name = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=LASTS_S)
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return str(name) if secrets.compare_digest(str(of), _of(email)) else ""


def _of(email: str) -> str:
    """No address stands in a cookie."""
    return hashlib.sha256(email.strip().lower().encode(errors="replace")).hexdigest()
