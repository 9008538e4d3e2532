"""The operator's view of tenants and their members."""

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter

from tenants.accounts.models import Membership, Tenant
from tenants.accounts.results import erase_results
from tenants.accounts.services import set_tenant_state
from tenants.admin.act_as import act_as
from tenants.admin.inlines import MembershipInline, ModelLimitInline
from tenants.admin.list_data import TenantList, look_at, seen, sees_money
from tenants.admin.tenant_forms import MadeTenant, TenantAddForm, TenantChangeForm, make_tenant
from tenants.admin_base.columns import badge, column
from tenants.admin_base.confirmation import at_once, confirmed
from tenants.admin_base.filters import CreatedFilter
from tenants.admin_base.formatting import ago, at, link_to, list_link
from tenants.admin_base.health import health_words
from tenants.admin_base.records import FoundById, tenants_named
from tenants.billing.admin.spending import spending_words, used_words
from tenants.deletion.services import NotClosing, begin_erasing, take_back
from tenants.limits.fields import KEPT, OF_JOBS, OF_MODELS
from tenants.limits.quota.capacity import StorageStanding, storage_standing
from tenants.limits.quota.wording import size
from tenants.limits.rates.rates import NAMES

THEIRS = (
    ("jobs_job", "Jobs"),
    ("jobs_document", "Documents"),
    ("jobs_page", "Pages"),
    ("tenants_apikey", "API keys"),
    ("tenants_membership", "Members"),
    ("tenants_usagerecord", "Usage"),
    ("tenants_wallet", "Wallets"),
    ("tenants_invoice", "Invoices"),
    ("tenants_billingdetails", "Billing details"),
    ("tenants_tenantprice", "Tenant prices"),
    ("tenants_auditentry", "Audit log"),
)


@admin.register(Tenant)
class TenantAdmin(FoundById):
    id_fields = ("id",)
    search_help_text = _("Name, whole ID or email of a member")
    list_display = ("name", "state_badge", "health", "this_month", "jobs", "members", "identifier", "created")
    list_filter = (("state", ChoicesDropdownFilter), ("created_at", CreatedFilter))
    ordering = ("-id",)
    fields = (
        "name",
        "state",
        "plan",
        "plan_start",
        "tier",
        "plans",
        "health",
        "spending",
        "records",
        *NAMES,
        *OF_JOBS,
        "stored",
        *OF_MODELS,
        *KEPT,
        "id",
        "created_at",
        "closes_at",
    )
    readonly_fields = ("id", "created_at", "closes_at", "plans", "health", "spending", "records", "stored")
    inlines = (MembershipInline, ModelLimitInline)
    actions = ("suspend", "reactivate", "erase_results", "take_back", "erase_now")
    services_tell = True

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[TenantList]:
        return TenantList

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        shown = self.list_display
        return tuple(name for name in shown if name != "this_month" or sees_money(request))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Tenant | None:
        """Return the tenant. A page that is only viewed asks for its row twice and gets the same object."""
        shown: Tenant | None = getattr(request, "tenant_shown", None)
        if shown is not None and request.method == "GET" and str(shown.pk) == unquote(object_id):
            return shown
        tenant: Tenant | None = super().get_object(request, object_id, from_field)
        if tenant is not None:
            look_at(request, [tenant])
            request.tenant_shown = tenant  # type: ignore[attr-defined]
        return tenant

    def get_urls(self) -> list[Any]:
        at = path("<uuid:tenant_id>/act-as/", self.admin_site.admin_view(act_as), name="tenants_tenant_act_as")
        return [at, *super().get_urls()]

    def begins_with(self, term: str) -> Iterator[Q]:
        yield Q(id__in=tenants_named(term)) if "@" in term else Q(name__istartswith=term)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        one_way = {"show_save_and_add_another": False, "show_save_and_continue": False}
        answer: HttpResponse = super().add_view(request, form_url, {**(extra_context or {}), **one_way})
        return answer

    def get_form(self, request: HttpRequest, obj: Tenant | None = None, **kwargs: Any) -> Any:
        return super().get_form(request, obj, **{"form": TenantChangeForm if obj else TenantAddForm, **kwargs})

    def get_fields(self, request: HttpRequest, obj: Tenant | None = None) -> tuple[str, ...]:
        if obj is None:
            return ("name", "owner_email", "made_as")
        return tuple(name for name in self.fields if name != "spending" or sees_money(request))

    def get_readonly_fields(self, request: HttpRequest, obj: Tenant | None = None) -> tuple[str, ...]:
        return self.readonly_fields if obj else ()

    def get_inlines(self, request: HttpRequest, obj: Tenant | None) -> list[Any]:
        return list(self.inlines) if obj else []

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Require the right to add all that is created with a tenant: the tenant, its owner and their membership."""
        may = request.user.has_perm
        return may("tenants.add_tenant") and may("tenants.add_user") and may("tenants.add_membership")

    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            form.change_plan()
        else:
            outcome = make_tenant(form)
            obj.pk = outcome.made.tenant.pk
            request.made_tenant = outcome  # type: ignore[attr-defined]

    def response_add(self, request: HttpRequest, obj: Tenant, post_url_continue: str | None = None) -> HttpResponse:
        """Show the new password and key in the response to the form, because they are stored nowhere and cannot be
        shown again.
        """
        outcome: MadeTenant = request.made_tenant  # type: ignore[attr-defined]
        context = {
            **self.admin_site.each_context(request),
            "title": "Add tenant",
            "opts": self.opts,
            "made": outcome.made,
            "password": outcome.password,
            "sign_in": request.build_absolute_uri(reverse("sign-in")),
        }
        return TemplateResponse(request, "admin/tenants/tenant/made.html", context)

    @column(_("state"), order_by="state")
    def state_badge(self, tenant: Tenant) -> SafeString | str:
        if tenant.state != Tenant.State.CLOSING or tenant.closes_at is None:
            return badge(tenant.state)
        also = f"until {at(tenant.closes_at)}{', suspended' if tenant.suspended_closing else ''}"
        return format_html("{} {}", badge(tenant.state), also)

    @column(_("storage used"))
    def stored(self, tenant: Tenant) -> str:
        """Write the stored bytes. They are looked up once, because the page shows this several times."""
        if not hasattr(tenant, "storage"):
            tenant.storage = storage_standing(tenant.id)  # type: ignore[attr-defined]
        standing: StorageStanding = tenant.storage  # type: ignore[attr-defined]
        used = size(standing.used_bytes)
        return used if standing.max_bytes is None else f"{used} of {size(standing.max_bytes)}"

    @column(_("spending"))
    def spending(self, tenant: Tenant) -> str:
        return spending_words(seen(tenant).money)

    @column(_("this month"))
    def this_month(self, tenant: Tenant) -> SafeString:
        text = used_words(seen(tenant).money) or "nothing"
        return list_link("tenants_usagerecord", text, tenant__id__exact=tenant.pk)

    @column(_("health"))
    def health(self, tenant: Tenant) -> SafeString:
        return health_words(tenant.pk, seen(tenant).troubles)

    @column(_("jobs"))
    def jobs(self, tenant: Tenant) -> SafeString:
        return list_link("jobs_job", "jobs", tenant__id__exact=tenant.pk)

    @column(_("members"))
    def members(self, tenant: Tenant) -> SafeString:
        return list_link("tenants_membership", "members", tenant__id__exact=tenant.pk)

    @column(_("ID"))
    def identifier(self, tenant: Tenant) -> str:
        return str(tenant.pk)

    @column(_("created"), order_by="id")
    def created(self, tenant: Tenant) -> str:
        return ago(tenant.created_at)

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """Describe a change of plan in a sentence, and everything else as Django describes it."""
        plan_change = getattr(form, "plan_json", "")
        if not plan_change:
            return super().construct_change_message(request, form, formsets, add)
        rest = [name for name in form.changed_data if name not in ("plan", "plan_start")]
        return " ".join([plan_change, *([f"Changed {', '.join(rest)}."] if rest else [])])

    @column(_("plans and prices"))
    def plans(self, tenant: Tenant) -> SafeString:
        url = reverse("admin:tenants_tenantprice_of", args=[tenant.pk])
        return format_html('<a class="ln" href="{}">Prices and limits in effect</a>', url)

    @column(_("Related"))
    def records(self, tenant: Tenant) -> SafeString:
        links = ((list_link(name, title, tenant__id__exact=tenant.pk),) for name, title in THEIRS)
        joined = format_html_join(" · ", "{}", links)
        act = reverse("admin:tenants_tenant_act_as", args=[tenant.pk])
        return format_html('{} · <a class="ln" href="{}">Act as a member</a>', joined, act)

    def has_delete_permission(self, request: HttpRequest, obj: Tenant | None = None) -> bool:
        """Refuse deletion, because usage must stay on record. An operator can suspend the tenant instead."""
        return False

    def row_actions(self, row: Tenant) -> list[str]:
        match row.state:
            case Tenant.State.CLOSING:
                return ["reactivate" if row.suspended_closing else "suspend", "take_back", "erase_now"]
            case Tenant.State.ERASING | Tenant.State.ERASED:
                return []
        return ["suspend" if row.state == Tenant.State.ACTIVE else "reactivate", "erase_results"]

    @admin.action(description=_("Suspend"), permissions=["change"])
    @confirmed(
        _("Suspend these tenants?"),
        _("Their members and API keys lose access immediately. Running pages are finished. Queued pages stay queued."),
        _("Suspend"),
    )
    def suspend(self, request: HttpRequest, chosen: "QuerySet[Tenant]") -> None:
        self._set_state(request, chosen, Tenant.State.SUSPENDED)

    @admin.action(description=_("Reactivate"), permissions=["change"])
    @at_once
    def reactivate(self, request: HttpRequest, chosen: "QuerySet[Tenant]") -> None:
        self._set_state(request, chosen, Tenant.State.ACTIVE)

    @admin.action(description=_("Erase cached results"), permissions=["change"])
    @confirmed(
        _("Erase the cached results of these tenants?"),
        _("Repeated inputs are processed again at the full price. Jobs and their results stay."),
        _("Erase"),
    )
    def erase_results(self, request: HttpRequest, chosen: "QuerySet[Tenant]") -> None:
        for tenant in chosen:
            erase_results(tenant_id=tenant.pk)
            self.log_change(request, tenant, "Cached results erased.")
        self.message_user(request, _("Cached results erased."), messages.SUCCESS)

    @admin.action(description=_("Cancel deletion"), permissions=["change"])
    @at_once
    def take_back(self, request: HttpRequest, chosen: "QuerySet[Tenant]") -> None:
        self._end_closing(request, chosen, take_back, "Deletion canceled.")

    @admin.action(description=_("Erase now"), permissions=["change"])
    @confirmed(
        _("Erase these tenants now?"),
        _(
            "Their owners requested the deletion and can still cancel it. Documents, results, keys, webhooks and "
            "members are erased permanently. Usage, payments, invoices and the audit log (with names) are kept. "
            "Billing details are kept until everything is billed."
        ),
        _("Erase permanently"),
    )
    def erase_now(self, request: HttpRequest, chosen: "QuerySet[Tenant]") -> None:
        self._end_closing(request, chosen, begin_erasing, "Erasing started.")

    def _end_closing(
        self, request: HttpRequest, chosen: "QuerySet[Tenant]", end: Callable[..., None], description: str
    ) -> None:
        done = 0
        for tenant in chosen:
            try:
                end(tenant_id=tenant.pk)
            except NotClosing as refusal:
                self.message_user(request, f"{tenant.name}: {refusal.detail}", messages.ERROR)
            else:
                self.log_change(request, tenant, description)
                done += 1
        if done:
            self.message_user(request, f"{done}: {description}", messages.SUCCESS)

    def _set_state(self, request: HttpRequest, chosen: "QuerySet[Tenant]", state: Tenant.State) -> None:
        changed = [tenant for tenant in chosen if set_tenant_state(tenant_id=tenant.pk, state=state)]
        for tenant in changed:
            self.log_change(request, tenant, f"Now {state.value}.")
        description = "suspended" if state == Tenant.State.SUSPENDED else "reactivated"
        self.message_user(request, f"{len(changed)} {description}.", messages.SUCCESS)


@admin.register(Membership)
class MembershipAdmin(FoundById):
    id_fields = ("id", "tenant_id", "user_id")
    search_help_text = _("Whole ID, tenant or email")
    list_display = ("person", "belongs_to", "role", "since")
    list_filter = (("tenant", AutocompleteSelectFilter), ("role", ChoicesDropdownFilter))
    list_select_related = ("user", "tenant")
    ordering = ("-id",)
    fields = ("user", "tenant", "role", "created_at")
    readonly_fields = ("user", "tenant", "created_at")

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Membership]":
        found: QuerySet[Membership] = super().get_queryset(request)
        return found.select_related(*self.list_select_related)

    @column(_("user"))
    def person(self, membership: Membership) -> str:
        return membership.user.email

    @column(_("tenant"))
    def belongs_to(self, membership: Membership) -> str:
        return link_to(membership.tenant)

    @column(_("member since"), order_by="id")
    def since(self, membership: Membership) -> str:
        return ago(membership.created_at)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse addition here. Members are added on their tenant's page."""
        return False
