"""The operator's view of tenants, people, keys and usage."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.forms import UserChangeForm as DjangoUserChangeForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from tenants.admin_records import FoundById, RecordAdmin
from tenants.billing.prices import display
from tenants.models import ApiKey, Membership, Tenant, UsageRecord, User
from tenants.services import revoke_key

admin.site.site_header = "Document AI: operator"
admin.site.site_title = "Operator"
admin.site.index_title = "Everything that is kept"


class LowerCaseEmail(forms.ModelForm):  # type: ignore[type-arg]
    """Sign-in looks for the address in lower case, and so it must be stored."""

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


class UserAddForm(LowerCaseEmail, AdminUserCreationForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("email",)


class UserChangeForm(LowerCaseEmail, DjangoUserChangeForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("email", "name", "password", "is_active", "is_staff", "is_superuser", "groups")


@admin.register(User)
class UserAdmin(DjangoUserAdmin):  # type: ignore[type-arg]
    form = UserChangeForm
    add_form = UserAddForm
    list_display = ("email", "name", "is_active", "is_staff", "last_login", "date_joined")
    list_filter = ("is_staff", "is_active")
    search_fields = ("email",)
    ordering = ("email",)
    readonly_fields = ("last_login", "date_joined")
    filter_horizontal = ("groups",)
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        ("What they may do here", {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
        ("Times", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "usable_password", "password1", "password2")}),)


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]
    """Members are added here; a role is changed on the membership's own page."""

    model = Membership
    extra = 0
    autocomplete_fields = ("user",)
    fields = ("user", "role")
    show_change_link = True
    can_delete = False

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Membership]":
        return super().get_queryset(request).select_related("user")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Tenant)
class TenantAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "state", "id", "created_at")
    list_filter = ("state",)
    search_fields = ("name",)
    ordering = ("-id",)
    show_full_result_count = False
    readonly_fields = ("id", "created_at", "records")
    inlines = (MembershipInline,)

    @admin.display(description="Theirs")
    def records(self, tenant: Tenant) -> SafeString | None:
        if tenant._state.adding:
            return None
        links = SafeString("")
        for name in ("tenants_apikey", "tenants_usagerecord", "jobs_document", "jobs_job"):
            url = reverse(f"admin:{name}_changelist", query={"tenant__id__exact": tenant.pk})
            links += format_html('<a href="{}">{}</a> ', url, name.partition("_")[2])
        return links

    def has_delete_permission(self, request: HttpRequest, obj: Tenant | None = None) -> bool:
        """What a tenant has used must stay on record; suspend it instead."""
        return False


@admin.register(Membership)
class MembershipAdmin(FoundById):
    id_fields = ("id", "tenant_id", "user_id")
    search_help_text = "A whole id: of a membership, a tenant or a user."
    list_display = ("user", "tenant", "role", "created_at")
    list_filter = ("role",)
    list_select_related = ("user", "tenant")
    ordering = ("-id",)
    fields = ("user", "tenant", "role", "created_at")
    readonly_fields = ("user", "tenant", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Members are added on their tenant's page."""
        return False


@admin.register(ApiKey)
class ApiKeyAdmin(RecordAdmin):
    """A key is never made here: whoever made it would have seen another's secret, which is shown once."""

    list_display = ("name", "prefix", "tenant", "scopes", "created_at", "expires_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "livemode")
    list_select_related = ("tenant",)
    ordering = ("-id",)
    exclude = ("secret_hash",)
    readonly_fields = ("id", "tenant", "prefix", "livemode", "created_at")
    actions = ("revoke",)

    @admin.display(ordering="public_id")
    def prefix(self, key: ApiKey) -> str:
        return f"maas_{'live' if key.livemode else 'test'}_{key.public_id}"

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("tenants.change_apikey"))

    @admin.action(description="Revoke the chosen keys, at once and for good", permissions=["revoke"])
    def revoke(self, request: HttpRequest, keys: "QuerySet[ApiKey]") -> None:
        revoked = [key for key in keys if revoke_key(key_id=key.id)]
        for key in revoked:
            self.log_change(request, key, "Revoked.")
        self.message_user(
            request, f"{len(revoked)} revoked; any others were revoked before.", messages.SUCCESS
        )


@admin.register(UsageRecord)
class UsageRecordAdmin(RecordAdmin):
    id_fields = ("id", "tenant_id", "source_id")
    search_help_text = "A whole id: of a record, its tenant, or the page it is for."
    list_display = ("created_at", "tenant", "model", "version", "quantity", "meter", "amount", "livemode")
    list_filter = ("meter", "livemode")
    list_select_related = ("tenant",)
    ordering = ("-id",)
    readonly_fields = ("id", "tenant", "created_at", "amount")

    @admin.display(ordering="amount_micros")
    def amount(self, record: UsageRecord) -> str:
        return f"{display(record.amount_micros)} {record.currency}"
