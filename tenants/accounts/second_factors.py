"""Second factors of people: the storage of their secrets, and the check that a person has used a factor."""

import base64
import hashlib
from ipaddress import ip_address
from urllib.parse import urlsplit

from allauth.account.authentication import get_authentication_records
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.utils import is_mfa_enabled
from cryptography.fernet import Fernet
from django.conf import settings
from django.http import HttpRequest

from tenants.accounts.models import User
from tenants.core.db.unit_of_work import account_work


class SecondFactors(DefaultMFAAdapter):  # type: ignore[misc]
    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "Wrong code, or it was already used. Wait for the next code, or use another method.",
        "unverified_email": "Confirm your new email address first, or cancel the change.",
    }

    def is_mfa_enabled(self, user: User, types: list[str] | None = None) -> bool:
        """Return whether a person has a second factor, also to requests that cannot read the factors."""
        with account_work():
            return bool(super().is_mfa_enabled(user, types))

    def encrypt(self, text: str) -> str:
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _box().decrypt(encrypted_text.encode()).decode()

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        entity: dict[str, str] = super().get_public_key_credential_rp_entity()
        return {**entity, "name": "Document AI"}


def _box() -> Fernet:
    """Return the cipher for the secrets. A person with only the database cannot read them."""
    digest = hashlib.sha256(b"second factors:" + settings.MAAS_KEY_PEPPER.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))


def has_second_factor(user: User) -> bool:
    return bool(is_mfa_enabled(user))


def has_shown_second_factor(request: HttpRequest) -> bool:
    """Return whether the person has used a second factor in this session and still has a second factor."""
    user = request.user
    if not isinstance(user, User) or not has_second_factor(user):
        return False
    return any(record.get("method") == "mfa" for record in get_authentication_records(request, user))


def passkeys_work_at(host: str) -> bool:
    """Return whether passkeys work at a host. Browsers bind them to a name, which an IP address is not."""
    try:
        ip_address(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return True
    return False
