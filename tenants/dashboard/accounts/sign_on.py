"""The dashboard of sign-in through other services: going there, coming back, and a person's connected services."""

from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.account.utils import get_next_redirect_url
from allauth.socialaccount.models import SocialAccount, SocialApp
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.views import SignupView
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tenants.authentication.sign_on.adapter import SignOnAdapter, invited_by
from tenants.authentication.sign_on.services import LastSignInMethod, disconnect, name_of, send_mail_about
from tenants.dashboard.accounts.forms import SignUpThroughForm
from tenants.dashboard_base.members import person_of


@require_POST
@never_cache
def go_there(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    if request.user.is_authenticated:
        return redirect("home")
    return _sent(request, provider_id, AuthProcess.LOGIN, next_url=get_next_redirect_url(request))


@require_POST
def connect_there(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    _provider(request, provider_id)
    answer: HttpResponseBase = _connecting(request, provider_id)
    return answer


@reauthentication_required  # type: ignore[untyped-decorator]
def _connecting(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    return _sent(request, provider_id, AuthProcess.CONNECT, data={"person": str(person_of(request).pk)})


def _sent(request: HttpRequest, provider_id: str, process: str, **kept: Any) -> HttpResponseBase:
    """Send the browser to the service through a page of our own, as our policy refuses forms that redirect there."""
    provider = _provider(request, provider_id)
    answer: HttpResponseBase = provider.redirect(request, process, **kept)
    if answer.status_code != 302:
        return answer
    context = {"to": answer.headers["Location"], "through": provider.name}
    return render(request, "tenants/accounts/sign_on_leaving.html", context)


@require_safe
@never_cache
def come_back(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    provider = _provider(request, provider_id)
    back = OAuth2CallbackView.adapter_view(provider.get_oauth2_adapter(request))
    answer: HttpResponseBase = back(request)
    return answer


@require_safe
def connections(request: HttpRequest) -> HttpResponseBase:
    had = list(SocialAccount.objects.filter(user_id=person_of(request).pk).order_by("date_joined"))
    rows = [
        {
            "id": account.provider,
            "through": name_of(account.provider),
            "as_whom": account.extra_data.get("email") or account.extra_data.get("login", ""),
            "since": account.date_joined,
        }
        for account in had
    ]
    left = [provider for provider in settings.MAAS_SIGN_ON if provider.id not in {row["id"] for row in rows}]
    return render(request, "tenants/accounts/sign_on.html", {"rows": rows, "left": left})


@require_http_methods(["GET", "HEAD", "POST"])
def take_away(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    if not SocialAccount.objects.filter(user_id=person_of(request).pk, provider=provider_id).exists():
        raise Http404("You do not sign in with this service.")
    answer: HttpResponseBase = _taking_away(request, provider_id)
    return answer


@reauthentication_required  # type: ignore[untyped-decorator]
def _taking_away(request: HttpRequest, provider_id: str) -> HttpResponseBase:
    if request.method != "POST":
        return render(request, "tenants/accounts/sign_on_remove.html", {"through": name_of(provider_id)})
    try:
        disconnect(person=person_of(request), provider_id=provider_id)
    except LastSignInMethod as refusal:
        messages.error(request, refusal.detail)
    else:
        send_mail_about(person_of(request), "disconnected", provider_id)
        messages.success(request, f"{name_of(provider_id)} is no longer connected.")
    return redirect("socialaccount_connections")


class SignUpThrough(SignupView):  # type: ignore[misc]
    template_name = "tenants/accounts/sign_up_through.html"
    template_name_signup_closed = "account/signup_closed.html"

    def get_form_class(self) -> type[SignUpThroughForm]:
        return SignUpThroughForm

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**kwargs)
        return {
            **found,
            "through": name_of(self.sociallogin.account.provider),
            "invited": invited_by(self.sociallogin),
        }


def _provider(request: HttpRequest, provider_id: str) -> Any:
    try:
        return SignOnAdapter(request).get_provider(request, provider_id)
    except SocialApp.DoesNotExist:
        raise Http404("This sign-in service is not configured here.") from None
