"""The secret of this installation's keys for cached pages."""

import hmac

from django.conf import settings

_PURPOSE = b"known pages"


def reuse_secret() -> bytes:
    """Return a secret that reveals nothing about API keys. A new pepper forgets all cached pages."""
    return hmac.digest(settings.MAAS_KEY_PEPPER.encode(), _PURPOSE, "sha256")
