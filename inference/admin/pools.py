"""The operator's view of pools of workers: how each chooses workers, what its machines are, and who names it."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from inference.registry.models import ModelPool, ScalingTerms
from tenants.admin_base.columns import column
from tenants.admin_base.formatting import link, list_link
from tenants.admin_base.records import OperatorAdmin


@admin.register(ModelPool)
class ModelPoolAdmin(OperatorAdmin):
    """The admin of pools. Workers read a change at their next look, within a second."""

    list_display = ("name", "capacity", "strategy", "dedicated", "machines", "price", "tiers", "served_models")
    list_filter = (("strategy", ChoicesDropdownFilter), ("capacity", ChoicesDropdownFilter))
    search_fields = ("name",)
    search_help_text = _("Name")
    fieldsets = (
        (None, {"fields": ("name", "strategy", "capacity", "dedicated", "warm", "link_mb_s")}),
        (_("Shown to operators only"), {"fields": (("hardware", "region", "precision"), "price")}),
    )
    readonly_fields = ("price",)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[ModelPool]":
        found: QuerySet[ModelPool] = super().get_queryset(request)
        return found.annotate(in_tiers=Count("tiers__tier", distinct=True))

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Read the terms of scaling once for all rows."""
        changelist = super().get_changelist_instance(request)
        names = [pool.name for pool in changelist.result_list]
        terms = {found.pool: found for found in ScalingTerms.objects.filter(pool__in=names)}
        for pool in changelist.result_list:
            pool.terms = terms.get(pool.name)
        return changelist

    @column(_("machines"))
    def machines(self, pool: ModelPool) -> str:
        return ", ".join(part for part in (pool.hardware, pool.region, pool.precision) if part)

    @column(_("price per hour"))
    def price(self, pool: ModelPool) -> SafeString | str:
        """Write the price of a worker, which is a term of scaling. A pool without terms has none."""
        if not hasattr(pool, "terms"):
            pool.terms = ScalingTerms.objects.filter(pool=pool.name).first()  # type: ignore[attr-defined]
        terms: ScalingTerms | None = pool.terms  # type: ignore[attr-defined]
        return "" if terms is None else link("inference_scalingterms", terms.pk, f"{terms.price_per_hour:g}")

    @column(_("tiers"))
    def tiers(self, pool: ModelPool) -> str:
        return str(pool.in_tiers or "")  # type: ignore[attr-defined]

    @column(_("models"))
    def served_models(self, pool: ModelPool) -> str:
        return list_link("inference_servedmodel", "models", pool__id__exact=pool.pk)
