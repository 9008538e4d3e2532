"""The rules for sign-in through other services. An address alone never signs in an existing person."""

from typing import Any

import structlog
from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthError, AuthProcess
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse

from tenants.accounts.errors import InvitationGone
from tenants.accounts.invitations import Invited, read_link
from tenants.accounts.models import User
from tenants.accounts.proving import must_prove_again
from tenants.accounts.unconfirmed import is_known
from tenants.authentication.impersonation import require_own_hands
from tenants.authentication.sign_on.provider_http import BoundedAnswers
from tenants.authentication.sign_on.providers import provider_class
from tenants.authentication.sign_on.services import (
    ConnectedElsewhere,
    configured,
    connect,
    name_of,
    send_mail_about,
)

log = structlog.get_logger(__name__)
_MAX_REDIRECTS = 0


class SignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    def list_apps(self, request: HttpRequest, provider: Any = None, client_id: Any = None) -> list[SocialApp]:
        """Return no apps from the database, because the providers come from the environment."""
        return []

    def list_providers(self, request: HttpRequest) -> list[Any]:
        return [provider_class(provider)(request, provider) for provider in settings.MAAS_SIGN_ON]

    def get_provider(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Any:
        found = configured(provider)
        if found is None:
            raise SocialApp.DoesNotExist(f"{provider!r} is not configured")
        return provider_class(found)(request, found)

    def get_requests_session(self) -> Any:
        session = super().get_requests_session()
        session.max_redirects = _MAX_REDIRECTS
        for scheme in ("https://", "http://"):
            session.mount(scheme, BoundedAnswers())
        return session

    def can_authenticate_by_email(self, login: SocialLogin, email: str) -> bool:
        """Refuse, as an address alone proves nothing. Signed-in people connect their accounts themselves."""
        return False

    def is_auto_signup_allowed(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        if settings.MAAS_SIGN_UP == "open":
            return True
        return settings.MAAS_SIGN_UP != "closed" and invited_by(sociallogin) is not None

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Save the person with one INSERT. The framework also updates the person, which only operators may do."""
        person: User = sociallogin.user
        person.set_unusable_password()
        get_account_adapter().save_user(request, person, form, commit=False)
        sociallogin.save(request)
        return person

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return reverse("socialaccount_connections")

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        if sociallogin.state.get("process") == AuthProcess.CONNECT:
            raise ImmediateHttpResponse(_connected(request, sociallogin))
        if not sociallogin.is_existing and (email := _known_address(sociallogin)):
            context = {"email": email, "through": name_of(sociallogin.account.provider)}
            page = render(request, "tenants/accounts/sign_on_known.html", context, status=403)
            raise ImmediateHttpResponse(page)

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Exception | None = None,
        extra_context: Any = None,
    ) -> None:
        if error != AuthError.CANCELLED:
            log.warning("sign_on_failed", provider=provider.sub_id, error=str(exception or error)[:500])


def invited_by(sociallogin: SocialLogin) -> Invited | None:
    """Return the invitation whose emailed link was opened. A person who has the link owns the email address."""
    try:
        found = resolve(str(sociallogin.state.get("next") or ""))
    except Resolver404:
        return None
    if found.url_name != "accept-invitation":
        return None
    try:
        return read_link(found.kwargs["token"])
    except InvitationGone:
        return None


def confirmed_address(sociallogin: SocialLogin) -> str:
    """Return the address that the provider has confirmed, or an empty text if there is none."""
    return next((address.email.lower() for address in sociallogin.email_addresses if address.verified), "")


def _known_address(sociallogin: SocialLogin) -> str:
    """Return the address if a person with it exists. This is revealed only to the owner of the address."""
    invited = invited_by(sociallogin)
    email = invited.email if invited else confirmed_address(sociallogin)
    return email if email and is_known(email) else ""


def _connected(request: HttpRequest, sociallogin: SocialLogin) -> HttpResponseBase:
    person = request.user
    if not isinstance(person, User) or sociallogin.state.get("data") != {"person": str(person.pk)}:
        return redirect("sign-in")
    require_own_hands(request)
    if must_prove_again(request):
        messages.error(request, "The connection took too long and was not made. Try again.")
    else:
        try:
            connect(person=person, account=sociallogin.account)
        except ConnectedElsewhere as refusal:
            messages.error(request, refusal.detail)
        else:
            name = name_of(sociallogin.account.provider)
            send_mail_about(person, "connected", sociallogin.account.provider)
            messages.success(request, f"{name} is now connected. You can sign in with it.")
    return redirect("socialaccount_connections")
