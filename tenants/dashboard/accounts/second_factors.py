"""The pages on which people set up second factors, and the operators' entry page, which requires a second factor."""

from typing import Any

from allauth.mfa.base.views import IndexView
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.cache import never_cache

from tenants.accounts.models import User
from tenants.accounts.second_factors import has_second_factor, has_shown_second_factor, passkeys_work_at

ADMIN = "/admin/"


class TwoFactor(IndexView):  # type: ignore[misc]
    template_name = "tenants/accounts/two_factor.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**kwargs)
        kept = found["authenticators"].get("recovery_codes")
        return {
            **found,
            "codes_left": len(kept.get_unused_codes()) if kept else 0,
            "passkeys_work": passkeys_work_at(self.request.get_host()),
            "needed": self.request.user.is_staff and settings.MAAS_STAFF_TWO_FACTOR,
        }


class FirstCode(ActivateTOTPView):  # type: ignore[misc]
    template_name = "tenants/accounts/app.html"


class NewPasskey(AddWebAuthnView):  # type: ignore[misc]
    template_name = "tenants/accounts/passkey.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return the context with the submitted form and its errors, which the framework's view leaves out."""
        return {**super().get_context_data(**kwargs), "form": kwargs.get("form") or self.get_form()}


@never_cache
def operators_door(request: HttpRequest) -> HttpResponseBase:
    """Redirect people to whom the admin refuses access. Nobody signs in here: attempts are counted on one page."""
    wanted = _wanted(request)
    person = request.user
    if not isinstance(person, User):
        return redirect_to_login(wanted)
    if not person.is_staff:
        return _told(request, wanted)
    if not settings.MAAS_STAFF_TWO_FACTOR or has_shown_second_factor(request):
        return redirect(wanted)
    asked = "mfa_reauthenticate" if has_second_factor(person) else "mfa_index"
    return redirect(f"{reverse(asked)}?{urlencode({'next': wanted})}")


def _told(request: HttpRequest, wanted: str) -> HttpResponse:
    return render(request, "tenants/accounts/no_operator.html", {"wanted": wanted})


def _wanted(request: HttpRequest) -> str:
    asked = request.GET.get("next", "")
    known = url_has_allowed_host_and_scheme(asked, allowed_hosts=None) and asked.startswith(ADMIN)
    return asked if known and asked != request.path else ADMIN
