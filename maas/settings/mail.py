"""Converts the URL of the mail server into Django's settings. It is pure."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TIMEOUT_S = 10
_PORTS = {"smtp": 587, "smtps": 465}
_OPTIONS = {"from", "starttls"}


def mail_settings(url: str) -> Mapping[str, Any]:
    """Return the settings. An empty URL means that no email is sent."""
    parts = urlsplit(url)
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    if parts.scheme == "console":
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    options = dict(parse_qsl(parts.query))
    if parts.scheme not in _PORTS or not parts.hostname or set(options) - _OPTIONS:
        raise ImproperlyConfigured(
            "MAAS_EMAIL_URL must be console:, or smtp:// or smtps:// with a host and no options but "
            f"{' and '.join(sorted(_OPTIONS))}"
        )
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or _PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp" and options.get("starttls", "1") != "0",
        "EMAIL_TIMEOUT": TIMEOUT_S,
        "DEFAULT_FROM_EMAIL": options.get("from", f"maas@{parts.hostname}"),
    }
