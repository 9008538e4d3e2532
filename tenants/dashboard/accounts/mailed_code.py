"""The page that sends a code by email to people with neither password nor second factor, and asks them for it."""

from typing import Any

from allauth.account.utils import passthrough_next_redirect_url
from allauth.account.views import BaseReauthenticateView
from django import forms
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from tenants.accounts.models import User
from tenants.accounts.proving import is_code_on_its_way, send_code, take_code


class MailedCodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=20,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}
        ),
    )

    def __init__(self, *args: object, request: HttpRequest, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._request = request

    def clean_code(self) -> str:
        typed: str = self.cleaned_data["code"]
        if not take_code(self._request, _person(self._request), typed):
            raise forms.ValidationError(_("Wrong or expired code. Use the code from the latest email."))
        return typed


class MailedCode(BaseReauthenticateView):  # type: ignore[misc]
    form_class = MailedCodeForm
    template_name = "tenants/accounts/mailed_code.html"

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request, "label_suffix": ""}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**kwargs)
        return {**found, "on_its_way": is_code_on_its_way(self.request, _person(self.request))}


@require_POST
def mail_code(request: HttpRequest) -> HttpResponse:
    """Send the code when a button is pressed. A page that is only viewed sends no email."""
    send_code(request, _person(request))
    return redirect(passthrough_next_redirect_url(request, reverse("mailed-code"), REDIRECT_FIELD_NAME))


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
