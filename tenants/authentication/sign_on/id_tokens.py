"""Finds out who signed in at an OpenID provider, or why its token is not accepted."""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

import jwt

from tenants.authentication.sign_on.configured import TENANT_ID

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""The accepted algorithms. A signature of any of them needs more than public data."""
LEEWAY_S = 60
_NEEDED = ("iss", "sub", "aud", "exp", "iat")


class NotBelieved(Exception):
    """The token is not accepted. The message is for the operator's log, not for the person who signs in."""


def nonce_for(verifier: str) -> str:
    """Return the nonce that the token must repeat, from a secret of the session that began this sign-in."""
    return hashlib.sha256(f"nonce:{verifier}".encode()).hexdigest()


def verified_claims(token: str, keys: Mapping[str, Any], *, issuer: str, client_id: str, nonce: str) -> dict[str, Any]:
    """Verify a token and return its claims. Raises NotBelieved."""
    try:
        header = jwt.get_unverified_header(token)
        key = _key(keys, header.get("kid"))
        claims: dict[str, Any] = jwt.decode(
            token,
            key=key,
            algorithms=[name for name in ALGORITHMS if name == header.get("alg")],
            audience=client_id,
            leeway=LEEWAY_S,
            options={"require": list(_NEEDED), "verify_iss": False},
        )
    except (jwt.PyJWTError, ValueError, TypeError, KeyError) as error:
        raise NotBelieved(f"the ID token is not right: {error}") from error
    _require_issuer(claims, issuer)
    if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != client_id:
        raise NotBelieved(f"the ID token was made for {claims.get('azp')!r}, and not for us alone")
    if not hmac.compare_digest(str(claims.get("nonce", "")), nonce):
        raise NotBelieved("the ID token repeats another nonce: it was made for another sign-in")
    return claims


def _require_issuer(claims: Mapping[str, Any], issuer: str) -> None:
    wanted = issuer.replace(TENANT_ID, str(claims.get("tid", "")))
    if claims["iss"] != wanted:
        raise NotBelieved(f"the ID token is of {claims['iss']!r}, and not of {wanted!r}")


def _key(keys: Mapping[str, Any], kid: object) -> jwt.PyJWK:
    """Return the signing key of the token. A provider with a single key may leave out its id."""
    keys_of_provider = jwt.PyJWKSet.from_dict(dict(keys)).keys
    signing = [key for key in keys_of_provider if key.public_key_use in (None, "sig")]
    found = [key for key in signing if key.key_id == kid or (kid is None and len(signing) == 1)]
    if not found:
        raise NotBelieved(f"the ID token is signed with the key {kid!r}, which is none of the provider's")
    return found[0]
