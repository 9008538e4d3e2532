"""The page that a link in an email opens to confirm an address.

The link shows that the person who opens it reads the address, but not who typed the address. So the link confirms the
address in the session where it was typed, and elsewhere only with the password. Otherwise a person who signed up with
another person's address would gain access by that person's click.
"""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage, LoginStageController
from allauth.account.views import ConfirmEmailView
from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from tenants.accounts.models import User
from tenants.accounts.unconfirmed import it_was_not_theirs
from tenants.authentication.impersonation import impersonation_of


class ConfirmForm(forms.Form):
    """A form in which a person proves with the password that they typed the address."""

    password = forms.CharField(
        label=_("The password that you chose"),
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: object, person: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._person = person

    def clean_password(self) -> str:
        typed: str = self.cleaned_data["password"]
        if not self._person.check_password(typed):
            raise forms.ValidationError(
                _("Wrong password. Enter the password that you chose with this address.")
            )
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

    def _page(self, *, status: int = 200, **told: Any) -> HttpResponse:
        answer: HttpResponse = self.render_to_response(self.get_context_data(**told), status=status)
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**kwargs)
        if self.object and "refused" not in kwargs:
            address = self.object.email_address
            found["form"] = kwargs.get("form") or self._asked(address)
            found["has_password"] = address.user.has_usable_password()
        return {**found, **{name: kwargs[name] for name in ("refused",) if name in kwargs}}

    def _asked(self, address: EmailAddress, typed: Any = None) -> ConfirmForm | None:
        """Return the password form, or None in the session where the address was typed."""
        return (
            None
            if self._was_typed_here(address)
            else ConfirmForm(typed, person=address.user, label_suffix="")
        )

    def _was_typed_here(self, address: EmailAddress) -> bool:
        if self.request.user.is_authenticated:
            return bool(self.request.user.pk == address.user_id and not impersonation_of(self.request))
        stage = LoginStageController.enter(self.request, EmailVerificationStage.key)
        return bool(stage and stage.login.user and stage.login.user.pk == address.user_id)
