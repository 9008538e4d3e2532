"""The operator's view of API keys: owner, purpose, last use. Keys are revoked here and created elsewhere."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, RadioFilter

from tenants.admin_base.columns import badge, column, two_lines
from tenants.admin_base.confirmation import confirmed
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import NOTHING, ago, link_to, list_link
from tenants.admin_base.records import RecordAdmin, tenants_named
from tenants.api_keys.format import START
from tenants.api_keys.models import ApiKey
from tenants.api_keys.restrictions import InvalidRestriction, checked_models, checked_networks
from tenants.api_keys.services import RESTRICTIONS, revoke_key
from tenants.limits.rates.rates import NAMES

SHOWN_PART = re.compile(rf"(?:{START})?([0-9A-Za-z]{{12}})(?![0-9A-Za-z])")
"""The public part of a key, with or without the prefix that all keys have."""
WITH_SECRET = re.compile(rf"({START}[0-9A-Za-z]{{12}})_[0-9A-Za-z]")


CHANGED_HERE = (*RESTRICTIONS, *NAMES)


class ModeFilter(RadioFilter):  # type: ignore[misc]  # the theme has no types
    title = _("mode")
    parameter_name = "mode"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("live", "live"), ("test", "test")]

    def queryset(self, request: HttpRequest, queryset: "QuerySet[ApiKey]") -> "QuerySet[ApiKey]":
        mode = self.value()
        return queryset.filter(livemode=mode == "live") if mode in ("live", "test") else queryset


class KeyForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = ApiKey
        fields = CHANGED_HERE

    def clean_allowed_models(self) -> list[str]:
        return self._checked("allowed_models", checked_models)

    def clean_allowed_networks(self) -> list[str]:
        return self._checked("allowed_networks", checked_networks)

    def _checked(self, name: str, check: Callable[[Iterable[str]], list[str]]) -> list[str]:
        try:
            return check(self.cleaned_data[name] or [])
        except InvalidRestriction as refusal:
            raise forms.ValidationError(str(refusal)) from refusal


@admin.register(ApiKey)
class ApiKeyAdmin(RecordAdmin):
    """The admin of API keys, which are restricted but not created here: the creator would see another's secret."""

    form = KeyForm

    search_help_text = _("Visible part of a key, name, whole ID, tenant or email")
    list_display = (
        "named_key",
        "owner",
        "state_badge",
        "scope_words",
        "jobs",
        "used_last",
        "created",
        "expires",
    )
    list_filter = (
        ("tenant", AutocompleteSelectFilter),
        ("revoked_at", admin.EmptyFieldListFilter),
        ModeFilter,
        ("created_at", CreatedFilter),
    )
    list_select_related = ("tenant",)
    ordering = ("-id",)
    # The hash of the secret is never shown.
    fields = (
        "name",
        "prefix",
        "state_badge",
        "owner",
        "scope_words",
        "jobs",
        "mode",
        "id",
        "created_at",
        "last_used_at",
        "last_used_from",
        "expires_at",
        "revoked_at",
        *RESTRICTIONS,
        *NAMES,
    )
    readonly_fields = tuple(name for name in fields if name not in CHANGED_HERE)
    actions = ("revoke",)
    services_tell = True

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return whether the operator may change the limits and restrictions of a key. Nothing else can be changed."""
        return self.has_revoke_permission(request)

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        """Save only the changed fields, so that a key that was revoked while its page was open stays revoked."""
        obj.save(update_fields=[name for name in form.changed_data if name in CHANGED_HERE])

    def begins_with(self, term: str) -> Iterator[Q]:
        """Search by the public part alone if a whole key is pasted, such as a leaked key."""
        if shown := SHOWN_PART.match(term):
            yield Q(public_id=shown[1])
        yield Q(name__icontains=term) | Q(tenant_id__in=tenants_named(term))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list. A secret in the search term is removed by a redirect, from the URL and the field."""
        term = request.GET.get("q", "").strip()
        if secret := WITH_SECRET.search(term):
            query = {**request.GET.dict(), "q": secret[1]}
            return HttpResponseRedirect(f"{request.path}?{urlencode(query)}")
        answer: HttpResponse = super().changelist_view(request, extra_context)
        return answer

    @column(_("key"))
    def named_key(self, key: ApiKey) -> str:
        return two_lines(key.name, key.prefix)

    @column(_("tenant"))
    def owner(self, key: ApiKey) -> str:
        return link_to(key.tenant)

    @column(_("state"))
    def state_badge(self, key: ApiKey) -> str:
        if key.revoked_at:
            return badge("revoked")
        return badge("expired" if key.expires_at and key.expires_at <= timezone.now() else "active")

    @column(_("scopes"))
    def scope_words(self, key: ApiKey) -> str:
        return ", ".join(key.scopes) or NOTHING

    @column(_("jobs"))
    def jobs(self, key: ApiKey) -> str:
        return list_link("jobs_job", "jobs", tenant__id__exact=key.tenant_id, api_key_id=key.pk)

    @column(_("last used"), order_by="last_used_at")
    def used_last(self, key: ApiKey) -> str:
        return two_lines(ago(key.last_used_at), key.last_used_from) if key.last_used_at else NOTHING

    @column(_("created"), order_by="id")
    def created(self, key: ApiKey) -> str:
        return ago(key.created_at)

    @column(_("expires"), order_by="expires_at")
    def expires(self, key: ApiKey) -> str:
        return f"{key.expires_at:%Y-%m-%d}" if key.expires_at else "never"

    def row_actions(self, row: ApiKey) -> list[str]:
        return [] if row.revoked_at else ["revoke"]

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("tenants.change_apikey"))

    @admin.action(description=_("Revoke"), permissions=["revoke"])
    @confirmed(
        _("Revoke these keys?"),
        _("Programs that use these keys lose access within a second. You cannot undo this."),
        _("Revoke"),
    )
    def revoke(self, request: HttpRequest, keys: "QuerySet[ApiKey]") -> None:
        revoked = [key for key in keys if revoke_key(key_id=key.id)]
        for key in revoked:
            self.log_change(request, key, "Revoked.")
        self.message_user(request, f"{len(revoked)} revoked. The others were already revoked.", messages.SUCCESS)
