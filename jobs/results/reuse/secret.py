"""What this installation's keys of pages are made with."""

import hmac

from django.conf import settings

_PURPOSE = b"known pages"


def reuse_secret() -> bytes:
    """Of its own, so that no key of a page says anything about an API key; who changes the pepper forgets all pages."""
    return hmac.digest(settings.MAAS_KEY_PEPPER.encode(), _PURPOSE, "sha256")
