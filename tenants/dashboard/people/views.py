"""The dashboard of an account's members: the people, their roles, and the invitations."""

from collections.abc import Callable
from typing import TypeVar

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tenants.accounts.errors import AlreadyMember, LastOwner, OwnerInactive, TooManyInvitations
from tenants.accounts.invitations import invite, open_invitations, resend, revoke
from tenants.accounts.members import change_role, find_member, hand_over, leave, remove_member
from tenants.accounts.models import Membership
from tenants.api_keys.selectors import keys_made_by
from tenants.authentication.impersonation import require_own_hands
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotPermitted
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.identity.roles import OWNER

T = TypeVar("T")
MEANINGS = {
    "owner": "full access, appoints owners",
    "admin": "full access, cannot appoint owners",
    "developer": "documents, models, keys and webhooks",
    "billing": "usage and billing, no documents",
    "viewer": "views documents and jobs",
}


def role_choices(*, with_owner: bool) -> list[tuple[str, str]]:
    return [
        (value, f"{label} — {MEANINGS[value]}")
        for value, label in Membership.Role.choices
        if with_owner or value != OWNER
    ]


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)


class InviteForm(forms.Form):
    email = forms.EmailField(label=_("Email"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "off"}))
    role = forms.ChoiceField(label=_("Role"), initial=Membership.Role.DEVELOPER)

    def __init__(self, *args: object, with_owner: bool, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["role"].choices = role_choices(with_owner=with_owner)  # type: ignore[attr-defined]


@require_safe
@members_only
def member_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("members:read")
    return _listed(request, identity, InviteForm(with_owner=_may_own(identity), label_suffix=""))


def _listed(request: HttpRequest, identity: Identity, form: InviteForm, status: int = 200) -> HttpResponse:
    may_write = "members:write" in identity.scopes
    with unit_of_work(identity.tenant_id):
        members = list(Membership.objects.select_related("user").order_by("created_at", "id"))
        invitations = list(open_invitations().select_related("invited_by")) if may_write else []
    context = {
        "members": members,
        "invitations": invitations,
        "now": timezone.now(),
        "form": form,
        "may_write": may_write,
        "may_own": _may_own(identity),
        "roles": role_choices(with_owner=_may_own(identity)),
        "me": identity.user_id,
    }
    return render(request, "tenants/people/members.html", context, status=status)


@require_POST
@members_only
def send_invitation(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("members:write")
    form = InviteForm(request.POST, with_owner=_may_own(identity), label_suffix="")
    if form.is_valid():
        try:
            made = invite(identity=identity, email=form.cleaned_data["email"], role=form.cleaned_data["role"])
        except (AlreadyMember, TooManyInvitations) as refusal:
            form.add_error("email", refusal.detail)
        else:
            messages.success(request, f"{made.email} was invited. The link works once, for a week.")
            return redirect("members")
    return _listed(request, identity, form, status=422)


@require_POST
@members_only
def send_again(request: HttpRequest, identity: Identity, invitation_id: str) -> HttpResponse:
    identity.require("members:write")
    again = _or_404(resend(identity=identity, invitation_id=invitation_id))
    messages.success(request, f"A new link was sent to {again.email}. The old link no longer works.")
    return redirect("members")


@require_POST
@members_only
def take_back(request: HttpRequest, identity: Identity, invitation_id: str) -> HttpResponse:
    identity.require("members:write")
    gone = _or_404(revoke(identity=identity, invitation_id=invitation_id))
    messages.success(request, f"The invitation of {gone.email} was revoked.")
    return redirect("members")


@require_POST
@members_only
def set_role(request: HttpRequest, identity: Identity, membership_id: str) -> HttpResponse:
    identity.require("members:write")
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise Http404("This role does not exist.")
    role = form.cleaned_data["role"]

    def change() -> str:
        member = _or_404(change_role(identity=identity, membership_id=membership_id, role=role))
        return f"{member.user.email} is now {member.role}."

    return _told(request, change)


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def remove(request: HttpRequest, identity: Identity, membership_id: str) -> HttpResponse:
    identity.require("members:write")
    member = _or_404(_member(identity, membership_id))
    if request.method != "POST":
        with unit_of_work(identity.tenant_id):
            keys = keys_made_by(member.user_id)
        return render(request, "tenants/people/remove.html", {"member": member, "keys": keys})

    def take_out() -> str:
        with_keys = request.POST.get("keys") == "revoke"
        _or_404(remove_member(identity=identity, membership_id=membership_id, with_keys=with_keys))
        note = " The keys that they created were revoked." if with_keys else ""
        return f"{member.user.email} was removed from this account.{note}"

    return _told(request, take_out)


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def make_owner(request: HttpRequest, identity: Identity, membership_id: str) -> HttpResponse:
    identity.require("account:write")
    member = _or_404(_member(identity, membership_id))
    answer: HttpResponse = _handing_over(request, identity, member)
    return answer


@reauthentication_required  # type: ignore[untyped-decorator]
def _handing_over(request: HttpRequest, identity: Identity, member: Membership) -> HttpResponse:
    if request.method != "POST":
        return render(request, "tenants/people/hand_over.html", {"member": member})

    def hand() -> str:
        _or_404(hand_over(identity=identity, membership_id=str(member.pk)))
        return f"{member.user.email} is now an owner, and you are an admin."

    return _told(request, hand)


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def leave_tenant(request: HttpRequest, identity: Identity) -> HttpResponse:
    require_own_hands(request)
    if request.method != "POST":
        return render(request, "tenants/people/leave.html")
    try:
        leave(identity=identity)
    except LastOwner as refusal:
        messages.error(request, f"{refusal.detail} Nothing was changed.")
        return redirect("members" if "members:read" in identity.scopes else "account")
    request.session.pop("tenant", None)
    return redirect("home")


def _told(request: HttpRequest, action: Callable[[], str]) -> HttpResponse:
    try:
        messages.success(request, action())
    except (LastOwner, NotPermitted, OwnerInactive) as refusal:
        messages.error(request, f"{refusal.detail} Nothing was changed.")
    return redirect("members")


def _member(identity: Identity, membership_id: str) -> Membership | None:
    with unit_of_work(identity.tenant_id):
        return find_member(membership_id)


def _or_404(found: T | None) -> T:
    if found is None:
        raise Http404("This member or invitation does not exist or was removed.")
    return found


def _may_own(identity: Identity) -> bool:
    return "account:write" in identity.scopes
