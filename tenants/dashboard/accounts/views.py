"""A person's own page: their details here, and links to what they can change."""

from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from tenants.accounts.mail import is_shown_in_the_log
from tenants.accounts.models import User
from tenants.accounts.second_factors import has_second_factor
from tenants.dashboard.accounts.forms import NameForm, signing_up_is_open


@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    person = _person(request)
    form = NameForm(request.POST or None, instance=person, label_suffix="")
    if request.method == "POST" and form.is_valid():
        form.save(commit=False)
        person.save(update_fields=["name"])
        messages.success(request, _("Name saved."))
        return redirect("account")
    status = 422 if form.errors else 200
    context = {
        "form": form,
        "new_address": EmailAddress.objects.get_new(person),
        "has_second_factor": has_second_factor(person),
    }
    return render(request, "tenants/accounts/account.html", context, status=status)


@require_POST
def keep_address(request: HttpRequest) -> HttpResponse:
    """Cancel a change of address that was never confirmed."""
    asked = EmailAddress.objects.get_new(_person(request))
    if asked is not None and not asked.primary:
        asked.delete()
        messages.info(request, _("Email address not changed."))
    return redirect("account")


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def doors(request: HttpRequest) -> dict[str, Any]:
    """Provide templates with the ways to sign in and the location of emails without a mail server."""
    return {
        "mail_is_shown_in_the_log": is_shown_in_the_log(),
        "sign_up_is_open": signing_up_is_open(),
        "sign_on": settings.MAAS_SIGN_ON,
    }
