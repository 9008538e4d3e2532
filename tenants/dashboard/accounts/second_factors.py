"""The pages and forms for setting up and using second factors, and the operators' entry page, which requires one."""

from typing import Any

import structlog
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.base.views import IndexView
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from allauth.mfa.webauthn.views import AddWebAuthnView
from django import forms
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from redis.exceptions import RedisError

from tenants.accounts.models import User
from tenants.accounts.second_factors import has_second_factor, has_shown_second_factor, passkeys_work_at

log = structlog.get_logger(__name__)
ADMIN = "/admin/"
_LONGEST_CODE = 20


def _code(label: str) -> forms.CharField:
    attrs = {"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false"}
    return forms.CharField(label=label, max_length=_LONGEST_CODE, widget=forms.TextInput(attrs=attrs))


class _Once:
    """A form whose code works once. Without the cache Redis, which knows the used codes, no code is accepted."""

    def clean_code(self) -> str:
        try:
            code: str = super().clean_code()  # type: ignore[misc]
        except RedisError as error:
            log.warning("second_factor_code_not_checked", error=str(error))
            raise forms.ValidationError(
                _("App codes cannot be checked right now. Try again in a minute, or use a recovery code.")
            ) from error
        return code


class CodeForm(_Once, AuthenticateForm):  # type: ignore[misc]
    code = _code("Code")


class CodeAgainForm(_Once, ReauthenticateForm):  # type: ignore[misc]
    code = _code("Code")


class FirstCodeForm(ActivateTOTPForm):  # type: ignore[misc]
    code = _code("Code from the app")


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    # Each passkey can also replace the password, so it asks for the finger, face or PIN.
    passwordless = forms.BooleanField(initial=True, widget=forms.HiddenInput)
    name = forms.CharField(
        label="Name", max_length=100, required=False, help_text=_("For example “phone” or “blue key”.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["name"] = ""


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
        return render(request, "tenants/accounts/no_operator.html", {"wanted": wanted})
    if not settings.MAAS_STAFF_TWO_FACTOR or has_shown_second_factor(request):
        return redirect(wanted)
    page = "mfa_reauthenticate" if has_second_factor(person) else "mfa_index"
    return redirect(f"{reverse(page)}?{urlencode({'next': wanted})}")


def _wanted(request: HttpRequest) -> str:
    url = request.GET.get("next", "")
    is_safe = url_has_allowed_host_and_scheme(url, allowed_hosts=None) and url.startswith(ADMIN)
    return url if is_safe and url != request.path else ADMIN
