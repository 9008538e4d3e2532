"""The operator's view of people, and of the groups that define the permissions of operators."""

from typing import Any
from uuid import UUID

import allauth.account.admin
import allauth.mfa.admin
import allauth.socialaccount.admin
import allauth.usersessions.admin  # noqa: F401  They register what is taken away below.
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.forms import AdminPasswordChangeForm
from unfold.forms import UserChangeForm as StyledChangeForm
from unfold.forms import UserCreationForm as StyledCreationForm

from tenants.accounts.addresses import vouch_for
from tenants.accounts.mail import say_access_was_set
from tenants.accounts.models import Membership, User
from tenants.admin_base.audited import audit_in_accounts_of
from tenants.admin_base.columns import column
from tenants.admin_base.formatting import NOTHING, ago, list_link
from tenants.admin_base.records import OperatorAdmin, ReadOnly
from tenants.audit.changes import changes_between
from tenants.core.db.unit_of_work import OPERATOR

for _model in (Group, EmailAddress, Authenticator, UserSession, SocialAccount, SocialApp, SocialToken):
    admin.site.unregister(_model)
RIGHTS = ("is_staff", "is_superuser", "groups")
ACCESS = ("email", "is_active")
KEEPING_IN = ("is_active", "is_staff", "is_superuser")


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def within_reach(request: HttpRequest, person: User | None) -> bool:
    """Return whether an operator may change a person: the access of an operator gives that operator's rights."""
    return _is_superuser(request) or person is None or not (person.is_staff or person.is_superuser)


def may_set_access(request: HttpRequest, person: User) -> bool:
    """Return whether an operator may set a person's access: with a member's, one acts as them without a banner."""
    return _is_superuser(request) or not Membership.objects.filter(user_id=person.pk).exists()


def is_last_superuser(person: User) -> bool:
    """Return whether a person is the last active superuser. Locks all, so that two cannot lock each other out."""
    able = User.objects.filter(is_active=True, is_staff=True, is_superuser=True)
    return list(able.select_for_update().order_by("pk").values_list("pk", flat=True)) == [person.pk]


class LowerCaseEmail(forms.ModelForm):  # type: ignore[type-arg]
    """A form that stores the address in lower case, because sign-in looks it up in lower case."""

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


class UserAddForm(LowerCaseEmail, StyledCreationForm):  # type: ignore[misc]
    class Meta:
        model = User
        fields = ("email",)


class UserChangeForm(LowerCaseEmail, StyledChangeForm):  # type: ignore[misc]
    class Meta:
        model = User
        fields = ("email", "name", "password", "is_active", "is_staff", "is_superuser", "groups")

    operator_id: UUID
    """The operator who fills in the form; see UserAdmin.get_form."""

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        taken = [right for right in KEEPING_IN if self.initial.get(right) and cleaned.get(right) is False]
        if taken and self.instance.pk == self.operator_id:
            self._refuse(taken, "You cannot remove this right from yourself. Ask another operator.")
        elif taken and is_last_superuser(self.instance):
            self._refuse(taken, "This is the last active superuser. Make another user a superuser first.")
        return cleaned

    def _refuse(self, taken: list[str], message: str) -> None:
        for right in taken:
            self.add_error(right, message)


class TheirMemberships(ReadOnly, TabularInline):  # type: ignore[misc]
    """The accounts of this person. A role is changed on the membership's own page."""

    model = Membership
    extra = 0
    fields = readonly_fields = ("tenant", "role", "created_at")
    show_change_link = True
    hide_title = True

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Membership]":
        found: QuerySet[Membership] = super().get_queryset(request).select_related("tenant", "user")
        return found


@admin.register(User)
class UserAdmin(DjangoUserAdmin, OperatorAdmin):  # type: ignore[type-arg, misc]
    form = UserChangeForm
    add_form = UserAddForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("email", "name", "belongs_to", "active", "is_staff", "seen", "joined")
    list_filter = ("is_staff", "is_active")
    search_fields = ("email",)
    search_help_text = _("Beginning of an email address")
    ordering = ("email",)
    readonly_fields = ("last_login", "date_joined", "did")
    filter_horizontal = ("groups",)
    inlines = (TheirMemberships,)
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        ("Permissions", {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
        ("Activity", {"fields": ("last_login", "date_joined", "did")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "usable_password", "password1", "password2")}),)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[User]":
        return super().get_queryset(request).prefetch_related("memberships__tenant")

    def get_search_results(
        self, request: HttpRequest, queryset: "QuerySet[Any]", search_term: str
    ) -> "tuple[QuerySet[Any], bool]":
        """Search by the beginning of an address, which has an index. Addresses are stored in lower case."""
        return queryset.filter(email__startswith=search_term.strip().lower()), False

    def get_inlines(self, request: HttpRequest, obj: User | None) -> list[Any]:
        return list(self.inlines) if obj else []

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Return the read-only fields, so that an operator cannot give rights that only others may give."""
        if _is_superuser(request):
            return self.readonly_fields
        theirs = () if obj is None or may_set_access(request, obj) else ("email",)
        return (*self.readonly_fields, *RIGHTS, *theirs)

    @admin.display(description=_("active"), boolean=True, ordering="is_active")
    def active(self, person: User) -> bool:
        return person.is_active

    @column(_("tenants"))
    def belongs_to(self, person: User) -> SafeString | str:
        names = ((membership.tenant.name,) for membership in person.memberships.all())
        return format_html_join(", ", "{}", names) or NOTHING

    @column(_("last sign-in"), order_by="last_login")
    def seen(self, person: User) -> str:
        return ago(person.last_login)

    @column(_("joined"), order_by="date_joined")
    def joined(self, person: User) -> str:
        return ago(person.date_joined)

    @column(_("audit log"))
    def did(self, person: User) -> str:
        return list_link("admin_logentry", "Actions of this user", user__id__exact=person.pk)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return within_reach(request, obj) and bool(super().has_change_permission(request, obj))

    def get_form(self, request: HttpRequest, obj: User | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        form.operator_id = request.user.pk  # type: ignore[attr-defined]  # the form class is made for this request
        return form

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change or "email" in form.changed_data:
            vouch_for(obj)
        set_here = {name: form.initial.get(name) for name in ACCESS if change and name in form.changed_data}
        if set_here:
            audit_in_accounts_of(obj, changes_between(set_here, {name: getattr(obj, name) for name in set_here}))
            say_access_was_set(obj, to=str(form.initial["email"]))

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        if is_last_superuser(obj):
            raise PermissionDenied(_("This is the last active superuser. Make another user a superuser first."))
        super().delete_model(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuse to delete oneself, and a person with entries in the log, which would be deleted too."""
        if not within_reach(request, obj):
            return False
        if obj is not None and (obj.pk == request.user.pk or obj.logentry_set.exists()):
            return False
        return bool(super().has_delete_permission(request, obj))

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Set the password and write its log entries in one transaction."""
        person = self.get_object(request, id)
        if person is not None and not may_set_access(request, person):
            raise PermissionDenied(_("Only superusers can set the password of a member of an account."))
        with transaction.atomic(using=OPERATOR):
            answer: HttpResponse = super().user_change_password(request, id, form_url)
            if request.method == "POST" and answer.status_code == 302 and person is not None:
                audit_in_accounts_of(person, {}, note="An operator set a new password.")
                say_access_was_set(person, to=person.email)
        return answer

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the actions without bulk deletion. People are deleted one by one, so that the rule above applies."""
        actions: dict[str, Any] = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, OperatorAdmin):  # type: ignore[misc]
    """The admin of groups, for superusers only, as all operators in a group have its permissions."""

    row_names = (_("operator group"), _("operator groups"))

    def _allowed(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return _is_superuser(request)

    has_add_permission = has_change_permission = has_delete_permission = _allowed
