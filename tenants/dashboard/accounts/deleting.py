"""The page on which a person deletes themselves."""

from allauth.account.decorators import reauthentication_required
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from tenants.accounts.errors import LastOwner, OperatorStays
from tenants.accounts.leaving import alone_in, delete_person
from tenants.accounts.models import User
from tenants.accounts.session_store import SessionStore


class AddressForm(forms.Form):
    email = forms.CharField(
        label=_("Your email address"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: object, person: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._person = person

    def clean_email(self) -> str:
        typed: str = self.cleaned_data["email"]
        if typed.strip().lower() != self._person.email:
            raise forms.ValidationError(f"Enter your email address exactly: {self._person.email}")
        return typed


@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required  # type: ignore[untyped-decorator]
def delete_oneself(request: HttpRequest) -> HttpResponse:
    person = request.user
    assert isinstance(person, User)
    form = AddressForm(request.POST or None, person=person, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            _end(request, person)
        except (LastOwner, OperatorStays) as refusal:
            form.add_error(None, refusal.detail)
        else:
            return render(request, "tenants/accounts/deleted.html")
    context = {"form": form, "alone_in": alone_in(person)}
    return render(request, "tenants/accounts/delete.html", context, status=422 if form.errors else 200)


def _end(request: HttpRequest, person: User) -> None:
    """Delete the person and end all sessions. They are read first, as their list is deleted with the person."""
    keys = list(UserSession.objects.filter(user_id=person.pk).values_list("session_key", flat=True))
    delete_person(person=person)
    logout(request)
    for key in keys:
        SessionStore(key).delete()
