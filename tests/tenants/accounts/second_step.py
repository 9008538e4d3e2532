"""Fixtures of second steps for people in tests, like an authenticator app and a list of recovery codes."""

import base64
import hmac
import secrets
import struct
import time

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import encrypt

from tenants.accounts.models import User
from tenants.core.db.unit_of_work import operator_work


def give_app(person: User) -> str:
    """Return the secret that the app holds."""
    secret = base64.b32encode(secrets.token_bytes(20)).decode()
    with operator_work():
        Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data={"secret": encrypt(secret)})
    return secret


def give_recovery_code(person: User) -> str:
    code = f"{secrets.randbelow(10**8):08}"
    with operator_work():
        Authenticator.objects.create(
            user=person, type=Authenticator.Type.RECOVERY_CODES, data={"migrated_codes": [encrypt(code)]}
        )
    return code


def code_of(secret: str) -> str:
    """Return what the app shows now (RFC 6238)."""
    counter = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.digest(base64.b32decode(secret, casefold=True), counter, "sha1")
    (number,) = struct.unpack_from(">I", digest, digest[-1] & 15)
    return f"{(number & 0x7FFFFFFF) % 10**6:06}"
