"""The pages that confirm an address by a mailed link, and a person without password and second factor by a mailed code.

The link shows that the person who opens it reads the address, but not who typed the address. So the link confirms the
address in the session where it was typed, and elsewhere only with the password. Otherwise a person who signed up with
another person's address would gain access by that person's click.
"""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage, LoginStageController
from allauth.account.utils import passthrough_next_redirect_url
from allauth.account.views import BaseReauthenticateView, ConfirmEmailView
from django import forms
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from tenants.accounts.models import User
from tenants.accounts.proving import is_code_on_its_way, send_code, take_code
from tenants.accounts.unconfirmed import it_was_not_theirs
from tenants.authentication.impersonation import impersonation_of
from tenants.dashboard.accounts.forms import own_password
from tenants.dashboard_base.members import person_of


class ConfirmForm(forms.Form):
    """A form in which a person enters their password to prove that they entered the email address."""

    password = own_password("The password that you chose")

    def __init__(self, *args: object, person: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._person = person

    def clean_password(self) -> str:
        typed: str = self.cleaned_data["password"]
        if not self._person.check_password(typed):
            raise forms.ValidationError(_("Wrong password. Enter the password that you chose with this address."))
        return typed


class ConfirmAddress(ConfirmEmailView):  # type: ignore[misc]
    template_name = "tenants/accounts/confirm_address.html"

    def logout_other_user(self, confirmation: Any) -> None:
        """Do not sign anybody out: only the person who typed the address gets further than looking at the link."""

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        self.object = self.get_object()
        address: EmailAddress = self.object.email_address
        if self.request.POST.get("not_me"):
            it_was_not_theirs(address)
            return self._page(refused=True)
        form = self._asked(address, self.request.POST)
        if form is not None and not form.is_valid():
            return self._page(form=form, status=422)
        answer: HttpResponse = super().post(*args, **kwargs)
        return answer

    def _page(self, *, status: int = 200, **context: Any) -> HttpResponse:
        answer: HttpResponse = self.render_to_response(self.get_context_data(**context), status=status)
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**kwargs)
        if self.object and "refused" not in kwargs:
            address = self.object.email_address
            found["form"] = kwargs.get("form") or self._asked(address)
            found["has_password"] = address.user.has_usable_password()
        return found

    def _asked(self, address: EmailAddress, typed: Any = None) -> ConfirmForm | None:
        """Return the password form, or None in the session where the address was typed."""
        if self._was_typed_here(address):
            return None
        return ConfirmForm(typed, person=address.user, label_suffix="")

    def _was_typed_here(self, address: EmailAddress) -> bool:
        if self.request.user.is_authenticated:
            return bool(self.request.user.pk == address.user_id and not impersonation_of(self.request))
        stage = LoginStageController.enter(self.request, EmailVerificationStage.key)
        return bool(stage and stage.login.user and stage.login.user.pk == address.user_id)


class MailedCodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}),
    )

    def __init__(self, *args: object, request: HttpRequest, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._request = request

    def clean_code(self) -> str:
        typed: str = self.cleaned_data["code"]
        if not take_code(self._request, person_of(self._request), typed):
            raise forms.ValidationError(_("Wrong or expired code. Use the code from the latest email."))
        return typed


class MailedCode(BaseReauthenticateView):  # type: ignore[misc]
    form_class = MailedCodeForm
    template_name = "tenants/accounts/mailed_code.html"

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request, "label_suffix": ""}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**kwargs)
        return {**found, "on_its_way": is_code_on_its_way(self.request, person_of(self.request))}


@require_POST
def mail_code(request: HttpRequest) -> HttpResponse:
    """Send the code when a button is pressed. A page that is only viewed sends no email."""
    send_code(request, person_of(request))
    return redirect(passthrough_next_redirect_url(request, reverse("mailed-code"), REDIRECT_FIELD_NAME))
