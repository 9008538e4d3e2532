"""The operator's view of tiers: which pools serve each priority, and which plans and tenants have them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline

from inference.registry.models import ModelPool, TierPool
from tenants.admin_base.columns import column
from tenants.admin_base.records import OperatorAdmin
from tenants.tiers.models import Tier


class TierPoolForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form of a pool of a tier. It refuses machines that may be taken away for work that a person waits for."""

    class Meta:
        model = TierPool
        fields = ("priority", "position", "pool")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        pool = cleaned.get("pool")
        spot = pool is not None and pool.capacity == ModelPool.Capacity.SPOT
        if spot and cleaned.get("priority") == TierPool.Priority.INTERACTIVE:
            self.add_error("pool", f"{pool} is of the class spot. Interactive work needs another class.")
        return cleaned


class TierPoolInline(TabularInline):  # type: ignore[misc]
    model = TierPool
    form = TierPoolForm
    extra = 0
    hide_title = True
    fields = ("priority", "position", "pool")


@admin.register(Tier)
class TierAdmin(OperatorAdmin):
    """The admin of tiers. Schedulers, workers and web processes read a change within two seconds."""

    list_display = ("name", "description", "pools_named", "plans_with", "tenants_with")
    search_fields = ("name",)
    search_help_text = _("Name")
    fields = ("name", "description")
    inlines = (TierPoolInline,)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Tier]":
        found: QuerySet[Tier] = super().get_queryset(request)
        return found.prefetch_related("pools__pool").annotate(
            plan_count=Count("plans", distinct=True), tenant_count=Count("tenants", distinct=True)
        )

    @column(_("pools"))
    def pools_named(self, tier: Tier) -> str:
        """Write the pools of each priority in their order."""
        of_priority: dict[str, list[str]] = {}
        for row in sorted(tier.pools.all(), key=lambda row: row.position):
            of_priority.setdefault(row.priority, []).append(row.pool.name if row.pool else "own pool")
        return "; ".join(
            f"{priority}: {', then '.join(of_priority[priority])}"
            for priority in TierPool.Priority.values
            if priority in of_priority
        )

    @column(_("plans"))
    def plans_with(self, tier: Tier) -> str:
        return str(tier.plan_count or "")  # type: ignore[attr-defined]

    @column(_("tenants"))
    def tenants_with(self, tier: Tier) -> str:
        return str(tier.tenant_count or "")  # type: ignore[attr-defined]
