"""The appearance of the operator's admin and the items of its sidebar. django-unfold reads them."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

from maas.ops.admin.visibility import CELLS, ENGINE, JOBS, PAGES, SCALING, may_see

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


def _icon(request: object) -> str:
    return static("maas/icon.svg")


def _style(request: object) -> str:
    return static("maas/admin.css")


def _landmarks(request: object) -> str:
    return static("maas/admin-landmarks.js")


def _keys(request: object) -> str:
    return static("maas/admin-keys.js")


def _item(title: "StrOrPromise", icon: str, name: str, *kinds: str) -> dict[str, Any]:
    """Build an item that is offered to operators who may see these kinds of rows."""
    link = reverse_lazy(name if name.startswith("admin-") else f"admin:{name}")
    allowed = partial(_may_see, kinds)
    return {"title": title, "icon": icon, "link": link, "active": _is_at(name), "permission": allowed}


def _where_cells_are(item: dict[str, Any]) -> dict[str, Any]:
    """Offer the item only in an installation with cells."""
    allowed = item["permission"]
    return {**item, "permission": lambda request: bool(settings.MAAS_CELLS) and allowed(request)}


def _may_see(kinds: tuple[str, ...], request: HttpRequest) -> bool:
    return may_see(request, *kinds)


def _is_at(name: str) -> Callable[[HttpRequest], bool]:
    """Return a check for the current page by names of views, because one list's address may begin with another's."""
    pages = f"{name.removesuffix('_changelist')}_"

    def is_at(request: HttpRequest) -> bool:
        match = request.resolver_match
        shown = match.url_name or "" if match else ""
        return shown == name or shown.startswith(pages)

    return is_at


def _list(title: "StrOrPromise", icon: str, model: str) -> dict[str, Any]:
    return _item(title, icon, f"{model}_changelist", model.replace("_", ".", 1))


SIDEBAR: list[dict[str, Any]] = [
    {
        "title": _("Work"),
        "items": [
            _item(_("Home"), "monitoring", "index"),
            _list(_("Jobs"), "work_history", "jobs_job"),
            _list(_("Pages"), "description", "jobs_page"),
            _list(_("Documents"), "folder_open", "jobs_document"),
            _list(_("Archives"), "folder_zip", "jobs_archive"),
            _list(_("Batches"), "view_list", "jobs_batch"),
            _list(_("Files"), "draft", "jobs_storedfile"),
            _list(_("Events"), "list_alt", "jobs_event"),
            _list(_("Webhooks"), "webhook", "jobs_webhookendpoint"),
            _list(_("Webhook deliveries"), "outbox", "jobs_webhookdelivery"),
            _item(_("Workers"), "memory", "jobs_workers", PAGES),
            _item(_("Engine"), "speed", "admin-engine", *ENGINE),
            _item(_("Scaling"), "stacked_line_chart", "admin-scaling", *SCALING),
            _where_cells_are(_item(_("Cells"), "public", "admin-cells", *CELLS)),
            _item(_("Simulation"), "query_stats", "admin-simulation", *SCALING),
            _item(_("Gates"), "block", "admin-gates", JOBS),
        ],
    },
    {
        "title": _("Models"),
        "separator": True,
        "items": [
            _list(_("Models"), "network_intelligence", "inference_servedmodel"),
            _list(_("Model versions"), "deployed_code", "inference_modelversion"),
            _list(_("Alias moves"), "alt_route", "inference_aliasmove"),
            _list(_("Model variants"), "compare_arrows", "inference_modelvariant"),
            _list(_("Model tasks"), "pending_actions", "inference_modeltask"),
            _list(_("Model pools"), "hub", "inference_modelpool"),
            _list(_("Tiers"), "layers", "tenants_tier"),
            _list(_("Scaling of pools"), "swap_vert", "inference_scalingterms"),
        ],
    },
    {
        "title": _("Tenants & users"),
        "separator": True,
        "items": [
            _list(_("Tenants"), "apartment", "tenants_tenant"),
            _list(_("Users"), "person", "tenants_user"),
            _list(_("Memberships"), "badge", "tenants_membership"),
            _list(_("API keys"), "key", "tenants_apikey"),
            _list(_("Operator groups"), "group", "auth_group"),
        ],
    },
    {
        "title": _("Billing"),
        "separator": True,
        "items": [
            _list(_("Invoices"), "request_quote", "tenants_invoice"),
            _list(_("Billing details"), "contact_mail", "tenants_billingdetails"),
            _list(_("Company details"), "storefront", "tenants_seller"),
            _list(_("Wallets"), "account_balance_wallet", "tenants_wallet"),
            _list(_("Payments"), "payments", "tenants_payment"),
            _list(_("Payment events"), "webhook", "tenants_providerevent"),
            _list(_("Ledger transactions"), "menu_book", "tenants_ledgertransaction"),
            _list(_("Ledger mismatches"), "rule", "tenants_ledgerdifference"),
            _list(_("Plans"), "sell", "tenants_plan"),
            _list(_("Tenant prices"), "loyalty", "tenants_tenantprice"),
            _list(_("Usage records"), "receipt_long", "tenants_usagerecord"),
        ],
    },
    {
        "title": _("Audit"),
        "separator": True,
        "items": [_list(_("Audit log"), "history", "admin_logentry")],
    },
]

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Document AI",
    "SITE_HEADER": "Document AI",
    "SITE_SUBHEADER": "Operator",
    "SITE_URL": "/",
    "SITE_ICON": _icon,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _icon}],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "6px",
    "DASHBOARD_CALLBACK": "maas.ops.admin.views.home",
    "STYLES": [_style],
    "SCRIPTS": [_landmarks, _keys],
    "COLORS": {
        "primary": {
            "50": "#eef3fd",
            "100": "#dbe5fb",
            "200": "#bccff7",
            "300": "#9bb8f4",
            "400": "#7fa2ef",
            "500": "#5c86e6",
            "600": "#2457c5",
            "700": "#1f4aa8",
            "800": "#1d3f8a",
            "900": "#1c376f",
            "950": "#142347",
        }
    },
    "SIDEBAR": {"show_search": False, "show_all_applications": False, "navigation": SIDEBAR},
}
