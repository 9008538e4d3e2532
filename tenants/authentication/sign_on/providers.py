"""The providers as django-allauth needs them. They are stricter than its own, and ignore what a browser adds."""

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.github.provider import GitHubProvider
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.provider import OAuth2Provider
from allauth.socialaccount.providers.oauth2.utils import generate_code_challenge
from allauth.socialaccount.providers.oauth2.views import OAuth2Adapter
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from tenants.authentication.sign_on.configured import GITHUB, SignOnProvider
from tenants.authentication.sign_on.id_tokens import NotBelieved, nonce_for, verified_claims
from tenants.authentication.sign_on.provider_http import fetched, fetched_unless_away

LONGEST_SUBJECT = 191
KNOWN_FOR_S = 300.0
_KEPT = ("email", "name", "login")
"""The only data from a provider that is stored. It is for the list of services that a person signs in through."""
_descriptions: dict[str, tuple[float, dict[str, Any]]] = {}


class _Adapter(OAuth2Adapter):  # type: ignore[misc]
    """The parts that both kinds of sign-on adapters share: the URL to which the browser returns, and one class of
    errors.
    """

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the URL to which the browser returns. It never depends on the host name in the browser's request."""
        return urljoin(settings.MAAS_PUBLIC_URL, reverse("sign-on-back", args=[self.provider_id]))

    def get_access_token_data(
        self, request: HttpRequest, app: SocialApp, client: Any, pkce_code_verifier: str | None = None
    ) -> Any:
        self.nonce = nonce_for(pkce_code_verifier or "")
        try:
            return super().get_access_token_data(request, app, client, pkce_code_verifier)
        except (KeyError, ValueError, AttributeError) as error:
            raise OAuth2Error(f"the token's answer cannot be read: {error!r}") from error


class OpenIdAdapter(_Adapter, OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    @property
    def configured(self) -> SignOnProvider:
        found: SignOnProvider = self.get_provider().configured
        return found

    @property
    def openid_config(self) -> dict[str, Any]:
        """Return the provider's description. It is cached, because every click of anybody needs it."""
        cached = _descriptions.get(self.configured.url)
        if cached is None or cached[0] < time.monotonic():
            cached = (time.monotonic() + KNOWN_FOR_S, self._described())
            _descriptions[self.configured.url] = cached
        return cached[1]

    def _described(self) -> dict[str, Any]:
        url = self.configured.url
        found = fetched_unless_away(f"{url.rstrip('/')}/.well-known/openid-configuration")
        issuer = self.configured.issuer or url
        if str(found.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
            raise OAuth2Error(f"{url} says that it is {found.get('issuer')!r}: set its address to that")
        schemes = ("https", "http") if self.configured.takes_plain_http else ("https",)
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if urlsplit(str(found.get(name, ""))).scheme not in schemes:
                raise OAuth2Error(f"{url} names no {name} that can be used: {found.get(name)!r}")
        if urlsplit(str(found.get("userinfo_endpoint", "https:"))).scheme not in schemes:
            raise OAuth2Error(f"{url} names no userinfo_endpoint that can be used: {found['userinfo_endpoint']!r}")
        return found

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> SocialLogin:
        config = self.openid_config
        try:
            claims = verified_claims(
                str(kwargs["response"].get("id_token", "")),
                fetched_unless_away(config["jwks_uri"]),
                issuer=config["issuer"],
                client_id=app.client_id,
                nonce=self.nonce,
            )
        except NotBelieved as error:
            raise OAuth2Error(str(error)) from error
        data = {**claims, **self._more(config, token, claims)}
        return self.get_provider().sociallogin_from_response(request, {"id_token": data})

    def _more(self, config: Mapping[str, Any], token: SocialToken, claims: Mapping[str, Any]) -> dict[str, Any]:
        """Return more data about the person. Data about another person raises an error."""
        if "email" in claims or "userinfo_endpoint" not in config:
            return {}
        found = fetched(config["userinfo_endpoint"], {"Authorization": f"Bearer {token.token}"})
        if found.get("sub") != claims["sub"]:
            raise OAuth2Error("what the provider tells of the person is of another than its ID token")
        return {name: found[name] for name in ("email", "email_verified", "name") if name in found}


class GitHubAdapter(_Adapter, GitHubOAuth2Adapter):  # type: ignore[misc]
    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> SocialLogin:
        try:
            return super().complete_login(request, app, token, **kwargs)
        except (KeyError, ValueError, TypeError) as error:
            raise OAuth2Error(f"GitHub's answer cannot be read: {error!r}") from error


class _Configured(OAuth2Provider):  # type: ignore[misc]
    """A provider with a new proof for each sign-in (PKCE), which takes no options from a browser."""

    def __init__(self, request: HttpRequest, configured: SignOnProvider) -> None:
        self.configured = configured
        app = SocialApp(
            provider=configured.kind,
            provider_id=configured.id,
            name=configured.name,
            client_id=configured.client_id,
            secret=configured.secret,
            settings={"server_url": configured.url},
        )
        super().__init__(request, app=app)
        self.name = configured.name

    def get_pkce_params(self) -> dict[str, Any]:
        made: dict[str, Any] = generate_code_challenge()
        return {**made, "nonce": nonce_for(made["code_verifier"])}

    def redirect(self, request: HttpRequest, process: str, **kwargs: Any) -> HttpResponse:
        try:
            answer: HttpResponse = super().redirect(request, process, **kwargs)
        except (OAuth2Error, requests.RequestException) as error:
            answer = render_authentication_error(request, self, exception=error)
        return answer

    def serialize(self) -> dict[str, Any]:
        """Serialize the provider during sign-up. It uses our id for it, since two providers may have the same name."""
        return {"id": self.configured.id}

    def extract_uid(self, data: Mapping[str, Any]) -> str:
        uid: str = super().extract_uid(data)
        if not 0 < len(uid) <= LONGEST_SUBJECT or "\0" in uid:
            raise OAuth2Error(f"the provider's id of the person is {len(uid)} characters long")
        return uid

    def extract_extra_data(self, data: Mapping[str, Any]) -> dict[str, Any]:
        claims = data.get("id_token", data)
        return {name: str(claims[name]).replace("\0", "")[:254] for name in _KEPT if claims.get(name)}


class OpenIdProvider(_Configured, OpenIDConnectProvider):  # type: ignore[misc]
    oauth2_adapter_class = OpenIdAdapter

    def extract_common_fields(self, data: Mapping[str, Any]) -> dict[str, Any]:
        claims = data["id_token"]
        return {name: str(claims[name]) for name in ("email", "name") if claims.get(name)}

    def extract_email_addresses(self, data: Mapping[str, Any]) -> list[Any]:
        found: list[Any] = super().extract_email_addresses(data)
        for address in found:
            # Some providers send this as a string.
            address.verified = data["id_token"].get("email_verified") is True
        return found


class GitHub(_Configured, GitHubProvider):  # type: ignore[misc]
    oauth2_adapter_class = GitHubAdapter

    def get_oauth2_adapter(self, request: HttpRequest) -> GitHubAdapter:
        return GitHubAdapter(request)


def provider_class(configured: SignOnProvider) -> type[_Configured]:
    return GitHub if configured.kind == GITHUB else OpenIdProvider
