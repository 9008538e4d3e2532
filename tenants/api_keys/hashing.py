"""The keyed hash of a key's secret, with this installation's pepper."""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from tenants.api_keys.format import digest


def stored_digest(secret: str) -> str:
    if not settings.MAAS_KEY_PEPPER:
        raise ImproperlyConfigured(
            "MAAS_KEY_PEPPER is not set: API keys would be hashed with nothing that is secret. "
            "Set it to a long random text, once and for ever; `make up` keeps one in MAAS_HOME/secrets.json."
        )
    return digest(secret, settings.MAAS_KEY_PEPPER)
