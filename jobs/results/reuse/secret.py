"""The secret of this installation's keys for cached pages."""

import hmac

from django.conf import settings

_PURPOSE = b"known pages"


def reuse_secret() -> bytes:
    """Return a separate secret, so that no key of a page reveals anything about an API key. A change of the pepper
    makes the service forget all cached pages.
    """
    return hmac.digest(settings.MAAS_KEY_PEPPER.encode(), _PURPOSE, "sha256")
