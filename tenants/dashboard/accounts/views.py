"""The page on which people sign in, and a person's own pages: their details, their sessions, and their deletion."""

from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from allauth.account.views import LoginView
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tenants.accounts.browsers import browser_words
from tenants.accounts.errors import LastOwner, OperatorNotDeletable
from tenants.accounts.leaving import alone_in, delete_person
from tenants.accounts.mail import is_shown_in_the_log
from tenants.accounts.models import User
from tenants.accounts.second_factors import has_second_factor
from tenants.accounts.session_store import SessionStore
from tenants.accounts.sessions import end_other_sessions, end_session, sessions_of
from tenants.dashboard.accounts.forms import NameForm, signing_up_is_open
from tenants.dashboard.sign_in.throttling import throttled_sign_in
from tenants.dashboard_base.members import person_of

sign_in = throttled_sign_in(LoginView.as_view(template_name="tenants/sign_in.html"))


@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    form = NameForm(request.POST or None, instance=person, label_suffix="")
    if request.method == "POST" and form.is_valid():
        form.save(commit=False)
        person.save(update_fields=["name"])
        messages.success(request, _("Name saved."))
        return redirect("account")
    context = {
        "form": form,
        "new_address": EmailAddress.objects.get_new(person),
        "has_second_factor": has_second_factor(person),
    }
    return render(request, "tenants/accounts/account.html", context, status=422 if form.errors else 200)


@require_POST
def keep_address(request: HttpRequest) -> HttpResponse:
    """Cancel a change of address that was never confirmed."""
    new_address = EmailAddress.objects.get_new(person_of(request))
    if new_address is not None and not new_address.primary:
        new_address.delete()
        messages.info(request, _("Email address not changed."))
    return redirect("account")


@require_safe
def session_list(request: HttpRequest) -> HttpResponse:
    rows = [
        {
            "id": session.pk,
            "browser": browser_words(session.user_agent),
            "ip": session.ip,
            "since": session.created_at,
            "here": session.session_key == request.session.session_key,
        }
        for session in sessions_of(person_of(request))
    ]
    return render(request, "tenants/accounts/sessions.html", {"rows": rows})


@require_POST
def end_one(request: HttpRequest, session_id: int) -> HttpResponse:
    if not end_session(person=person_of(request), session_id=session_id):
        raise Http404("This session does not exist or has ended.")
    messages.success(request, _("Session ended."))
    return redirect("sessions")


@require_POST
def end_others(request: HttpRequest) -> HttpResponse:
    ended = end_other_sessions(person=person_of(request), kept=request.session.session_key)
    messages.success(request, f"{ended} other sessions ended." if ended != 1 else "The other session ended.")
    return redirect("sessions")


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
    person = person_of(request)
    form = AddressForm(request.POST or None, person=person, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            _end(request, person)
        except (LastOwner, OperatorNotDeletable) as refusal:
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


def doors(request: HttpRequest) -> dict[str, Any]:
    """Provide templates with the ways to sign in, the other cells, and the location of emails without a mail server."""
    return {
        "cell": settings.MAAS_CELLS.own,
        "other_cells": settings.MAAS_CELLS.others,
        "mail_is_shown_in_the_log": is_shown_in_the_log(),
        "sign_up_is_open": signing_up_is_open(),
        "sign_on": settings.MAAS_SIGN_ON,
    }
