"""The operator's view of plans, of their prices, and of prices for a single tenant."""

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.utils import flatten_fieldsets
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import AutocompleteSelectFilter

from inference.admin.plans.effective import effective_page
from inference.admin.plans.example_page import example_page
from inference.admin.plans.forms import (
    LIMITS,
    PRICED,
    IncludedForm,
    PlanForm,
    PriceForm,
    TenantPriceForm,
    VersionFormSet,
    meters_of_models,
)
from tenants.accounts.models import Tenant
from tenants.admin_base.columns import badge, column, two_lines
from tenants.admin_base.confirmation import at_once
from tenants.admin_base.formatting import link, link_to
from tenants.admin_base.records import FoundById, OperatorAdmin
from tenants.admin_base.replicated import ReplicatedPages, part_of
from tenants.billing.ledger.subscriptions import duplicate_plan
from tenants.cells.models import ReplicatedPart
from tenants.cells.replicated import Kind
from tenants.plans.models import Plan, PlanIncluded, PlanPrice, Subscription, TenantPrice
from tenants.plans.wording import money


class VersionInline(TabularInline):  # type: ignore[misc]
    formset = VersionFormSet
    extra = 0
    hide_title = True

    def has_add_permission(self, request: HttpRequest, obj: Plan | None = None) -> bool:
        return super().has_add_permission(request, obj) and not _is_replicated(obj)

    def has_change_permission(self, request: HttpRequest, obj: Plan | None = None) -> bool:
        return super().has_change_permission(request, obj) and not _is_replicated(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Plan | None = None) -> bool:
        return super().has_delete_permission(request, obj) and not _is_replicated(obj)


class PriceInline(VersionInline):
    model = PlanPrice
    form = PriceForm
    fields = PRICED
    verbose_name = _("price")
    verbose_name_plural = _("prices (the latest valid price applies; without one, the price of the model)")


class IncludedInline(VersionInline):
    model = PlanIncluded
    form = IncludedForm
    fields = ("model", "meter", "quantity", "valid_from")
    verbose_name = _("included units")
    verbose_name_plural = _("included units per month (units of one model are used before units of all models)")


FEE = (("monthly_fee_micros", "currency"), ("trial_days", "trial_credit_micros"), "is_prepaid")


def _replicated(plan: Plan) -> ReplicatedPart | None:
    return part_of(plan, Kind.PLAN, plan.code)


def _is_replicated(plan: Plan | None) -> bool:
    return plan is not None and _replicated(plan) is not None


@admin.register(Plan)
class PlanAdmin(ReplicatedPages, OperatorAdmin):
    form = PlanForm
    list_display = ("named", "state_badge", "fee", "example")
    search_fields = ("name", "code")
    search_help_text = _("Name or code")
    ordering = ("archived", "name")
    fieldsets = (
        (None, {"fields": ("name", "code", "is_default", "archived", "tier", "example")}),
        ("Fee", {"fields": FEE}),
        ("Limits per tenant", {"fields": LIMITS}),
    )
    inlines = (PriceInline, IncludedInline)
    actions = ("duplicate",)

    readonly_fields = ("example",)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Plan]":
        found: QuerySet[Plan] = super().get_queryset(request)
        sold = Exists(Subscription.objects.filter(plan=OuterRef("pk")))
        return found.annotate(sold=sold, read_at=Now())

    def get_readonly_fields(self, request: HttpRequest, obj: Plan | None = None) -> Any:
        """Return all fields but the tier for a plan of the control cell. Tiers are pools of this cell."""
        if not _is_replicated(obj):
            return self.readonly_fields
        shown = flatten_fieldsets(self.get_fieldsets(request, obj))
        return tuple(name for name in shown if name != "tier")

    def get_formset_kwargs(self, request: HttpRequest, obj: Any, inline: Any, prefix: str) -> dict[str, Any]:
        """Read the meters once for all rows."""
        given: dict[str, Any] = super().get_formset_kwargs(request, obj, inline, prefix)
        if not hasattr(request, "meters"):
            request.meters = meters_of_models()  # type: ignore[attr-defined]
        now = getattr(obj, "read_at", None)
        return {**given, "form_kwargs": {"meters": request.meters, "now": now}}  # type: ignore[attr-defined]

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.example_view)
        return [path("<uuid:plan_id>/example/", view, name="tenants_plan_example"), *super().get_urls()]

    def example_view(self, request: HttpRequest, plan_id: UUID) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        plan = get_object_or_404(Plan, pk=plan_id)
        return example_page(request, plan, self.admin_site.each_context(request))

    @column(_("plan"), order_by="name")
    def named(self, plan: Plan) -> str:
        return two_lines(plan.name, plan.code)

    @column(_("state"))
    def state_badge(self, plan: Plan) -> str:
        return badge("archived" if plan.archived else "default for new tenants" if plan.is_default else "active")

    @column(_("monthly fee"))
    def fee(self, plan: Plan) -> str:
        return money(plan.monthly_fee_micros, plan.currency)

    @column(_("example"))
    def example(self, plan: Plan) -> SafeString | str:
        if plan._state.adding:
            return "Save the plan to calculate an example month."
        url = reverse("admin:tenants_plan_example", args=[plan.pk])
        return format_html('<a class="ln" href="{}">Example month</a>', url)

    def replicated(self, row: Plan) -> ReplicatedPart | None:
        return _replicated(row)

    def has_delete_permission(self, request: HttpRequest, obj: Plan | None = None) -> bool:
        """Refuse deletion, because past bills are made from the plan. Rows of versions have their own rule."""
        return False

    def row_actions(self, row: Plan) -> list[str]:
        return ["duplicate"]

    @admin.action(description=_("Duplicate plan"), permissions=["add"])
    @at_once
    def duplicate(self, request: HttpRequest, chosen: "QuerySet[Plan]") -> None:
        for plan in chosen:
            copy = duplicate_plan(plan=plan)
            self.log_change(request, plan, f"Duplicated as {copy.code}.")
            self.log_addition(request, copy, f"Duplicated from {plan.code}.")
            text = format_html("Created {}.", link("tenants_plan", copy.pk, copy.name))
            self.message_user(request, text, messages.SUCCESS)


@admin.register(TenantPrice)
class TenantPriceAdmin(FoundById):
    """Prices for a single tenant. They are added from the page of the tenant's prices."""

    form = TenantPriceForm
    search_help_text = _("Whole ID, tenant or email of a member")
    list_display = ("owner", "model_name", "told_price")
    list_filter = (("tenant", AutocompleteSelectFilter),)
    list_select_related = ("tenant",)
    ordering = ("-id",)
    fields = ("owner", *PRICED[:-1], "currency", "valid_from")
    readonly_fields = ("owner",)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[TenantPrice]":
        found: QuerySet[TenantPrice] = super().get_queryset(request)
        return found.select_related("tenant")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.effective_view)
        return [path("of/<uuid:tenant_id>/", view, name="tenants_tenantprice_of"), *super().get_urls()]

    def effective_view(self, request: HttpRequest, tenant_id: UUID) -> HttpResponse:
        sees_tenants = any(request.user.has_perm(f"tenants.{may}_tenant") for may in ("view", "change"))
        if not (sees_tenants and self.has_view_permission(request)):
            raise PermissionDenied
        tenant = get_object_or_404(Tenant, pk=tenant_id)
        return effective_page(request, tenant, self.admin_site.each_context(request))

    @column(_("tenant"))
    def owner(self, price: TenantPrice) -> SafeString | str:
        return link_to(price.tenant)

    @column(_("model"))
    def model_name(self, price: TenantPrice) -> SafeString | str:
        return link("tenants_tenantprice", price.pk, price.named)

    @column(_("price"))
    def told_price(self, price: TenantPrice) -> str:
        return price.price_text(price.currency)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow adding only if the URL names a tenant."""
        return bool(super().has_add_permission(request)) and _named_tenant(request) is not None

    def get_form(self, request: HttpRequest, obj: TenantPrice | None = None, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, **kwargs)
        named = _named_tenant(request)
        if obj is not None or named is None:
            return form
        tenant_id: UUID = named

        class OfTenant(form):  # type: ignore[misc, valid-type]
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                kwargs["instance"] = kwargs.get("instance") or TenantPrice(tenant_id=tenant_id)
                super().__init__(*args, **kwargs)

        return OfTenant

    def has_delete_permission(self, request: HttpRequest, obj: TenantPrice | None = None) -> bool:
        """Refuse deletion. To end a price that has begun, add a later price without an amount."""
        return False


def _named_tenant(request: HttpRequest) -> UUID | None:
    try:
        wanted = UUID(request.GET.get("tenant", ""))
    except ValueError:
        return None
    return wanted if Tenant.objects.filter(pk=wanted).exists() else None
