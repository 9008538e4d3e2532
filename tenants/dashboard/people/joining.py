"""The page that an invitation's link opens, for people with and without an account here."""

from django import forms
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.password_validation import validate_password
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tenants.accounts.errors import InvitationForOtherUser, InvitationGone
from tenants.accounts.invitations import Invited, accept, accept_as_new, read_link
from tenants.accounts.models import User
from tenants.accounts.unconfirmed import is_known
from tenants.authentication.chosen_tenant import choose_tenant
from tenants.authentication.impersonation import require_own_hands
from tenants.dashboard.accounts.forms import new_name, new_password

_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


class JoinForm(forms.Form):
    name = new_name(autofocus=True)
    password1 = new_password(_("Password"))

    def clean_password1(self) -> str:
        password: str = self.cleaned_data["password1"]
        validate_password(password)
        return password


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def accept_invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    try:
        invited = read_link(token)
        if isinstance(request.user, User):
            return _join(request, request.user, invited, token)
        if is_known(invited.email):
            return render(request, "tenants/people/join_signed_out.html", {"invited": invited})
        return _join_as_new(request, invited, token)
    except InvitationGone as gone:
        return render(request, "tenants/people/invitation_gone.html", {"detail": gone.detail}, status=410)


def _join(request: HttpRequest, person: User, invited: Invited, token: str) -> HttpResponseBase:
    require_own_hands(request)
    if person.email != invited.email:
        return render(request, "tenants/people/join_as_another.html", {"invited": invited}, status=403)
    if request.method != "POST":
        return render(request, "tenants/people/join.html", {"invited": invited})
    accept(token=token, user=person)
    choose_tenant(request, invited.tenant_id)
    return redirect("home")


def _join_as_new(request: HttpRequest, invited: Invited, token: str) -> HttpResponse:
    if settings.MAAS_SIGN_UP == "closed":
        return render(request, "tenants/people/join_closed.html", {"invited": invited}, status=403)
    form = JoinForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            person = accept_as_new(token=token, name=form.cleaned_data["name"], password=form.cleaned_data["password1"])
        except InvitationForOtherUser:
            return redirect("accept-invitation", token=token)
        login(request, person, backend=_BACKEND)
        choose_tenant(request, invited.tenant_id)
        return redirect("home")
    status = 422 if request.method == "POST" else 200
    return render(request, "tenants/people/join_as_new.html", {"invited": invited, "form": form}, status=status)
