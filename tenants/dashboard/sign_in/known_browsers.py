"""Remembers browsers in which a person has signed in, so that other people's attempts lock nobody out there.

Attempts in a known browser have a separate count, which nobody else can use up. The cookie gives no access.
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
    """Set the cookie of a person who has just signed in. It is new each time, so that a copy is worth less."""
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
    """Return the name of the browser. It is empty if nobody has signed in there with that address."""
    try:
        of, name = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=LASTS_S)
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return str(name) if secrets.compare_digest(str(of), _of(email)) else ""


def _of(email: str) -> str:
    """Return a digest of an address, so that the cookie contains no address."""
    return hashlib.sha256(email.strip().lower().encode(errors="replace")).hexdigest()
