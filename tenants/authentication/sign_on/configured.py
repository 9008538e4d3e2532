"""The services that people may sign in through, according to the environment."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

OPENID, GITHUB = "openid_connect", "github"
OWN_NAMES = ("google", "github", "microsoft")
TENANT_ID = "{tenantid}"
"""The placeholder in the issuer of a service with many directories. It stands for the directory of the person."""
_ID = re.compile(r"[a-z][a-z0-9_]{0,29}")


@dataclass(frozen=True)
class SignOnProvider:
    id: str
    """The id in URLs and in people's data. If it is changed, nobody can sign in through the provider."""
    name: str
    client_id: str
    secret: str
    kind: str = OPENID
    url: str = ""
    """The URL of the issuer, where its description is found."""
    issuer: str = ""
    """The issuer in its tokens, if it differs from the URL."""

    @property
    def takes_plain_http(self) -> bool:
        return self.url.startswith("http:")


def sign_on_providers(
    names: Sequence[str],
    values: Mapping[str, str],
    *,
    secure: bool,
) -> tuple[SignOnProvider, ...]:
    """Return the operator's own providers (`names`), and each of the three known ones that has a client id."""
    found = [_named(name, values, secure) for name in names]
    if len({provider.id for provider in found}) < len(found):
        raise ImproperlyConfigured(f"MAAS_OIDC_PROVIDERS names one of {', '.join(names)} twice")
    return (*found, *_known(values))


def _named(name: str, values: Mapping[str, str], secure: bool) -> SignOnProvider:
    if not _ID.fullmatch(name) or name in OWN_NAMES:
        raise ImproperlyConfigured(
            f"MAAS_OIDC_PROVIDERS: {name!r} must be small letters, digits and underscores, begin with a letter, and be "
            f"none of {', '.join(OWN_NAMES)}"
        )
    start = f"MAAS_OIDC_{name.upper()}"
    url, client_id, secret = (_needed(f"{start}_{part}", values) for part in ("URL", "CLIENT_ID", "SECRET"))
    scheme = urlsplit(url).scheme
    if scheme not in ("https", "http") or not urlsplit(url).hostname:
        raise ImproperlyConfigured(f"{start}_URL={url!r} must be the issuer's address, such as https://id.example")
    if secure and scheme != "https":
        raise ImproperlyConfigured(f"{start}_URL={url!r} must be https where MAAS_SECURE=1")
    return SignOnProvider(name, values.get(f"{start}_NAME") or name.capitalize(), client_id, secret, url=url)


def _known(values: Mapping[str, str]) -> Sequence[SignOnProvider]:
    found = []
    if client_id := values.get("MAAS_GOOGLE_CLIENT_ID"):
        secret = _needed("MAAS_GOOGLE_SECRET", values)
        found.append(SignOnProvider("google", "Google", client_id, secret, url="https://accounts.google.com"))
    if client_id := values.get("MAAS_MICROSOFT_CLIENT_ID"):
        secret = _needed("MAAS_MICROSOFT_SECRET", values)
        directory = values.get("MAAS_MICROSOFT_TENANT") or "common"
        at = "https://login.microsoftonline.com"
        issuer = f"{at}/{TENANT_ID}/v2.0" if directory in ("common", "organizations", "consumers") else ""
        url = f"{at}/{directory}/v2.0"
        found.append(SignOnProvider("microsoft", "Microsoft", client_id, secret, url=url, issuer=issuer))
    if client_id := values.get("MAAS_GITHUB_CLIENT_ID"):
        secret = _needed("MAAS_GITHUB_SECRET", values)
        found.append(SignOnProvider("github", "GitHub", client_id, secret, kind=GITHUB))
    return found


def _needed(name: str, values: Mapping[str, str]) -> str:
    value = values.get(name, "")
    if not value:
        raise ImproperlyConfigured(f"{name} is needed for signing in through it: set it, or take the provider away")
    return value
