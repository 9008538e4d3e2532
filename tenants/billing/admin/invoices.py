"""The operator's view of invoices: each invoice with its lines and the actions that are still possible."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter, TextFilter

from tenants.admin_base.columns import badge, column
from tenants.admin_base.formatting import NOTHING, link_to
from tenants.admin_base.records import RecordAdmin
from tenants.billing.admin.billing_pages import credit_page, draw_page, write_off_page
from tenants.billing.admin.fields import OfTenant
from tenants.billing.invoices.amounts import amount_of, quantity_of
from tenants.billing.invoices.formats import pdf_file
from tenants.billing.invoices.issued import find_invoice, standing, whole
from tenants.billing.invoices.models import Invoice, InvoiceLine, Seller
from tenants.billing.invoices.paper import party_rows
from tenants.core.months import Month

MAX_LINES = 100
FACTS = ("owner", "stands", "kind", "correction_of", "reason", "month", "period_start", "period_end")
SUMS = ("net", "tax", "total", "due", "paid", "credited", "written_off", "still_open")


class MonthFilter(TextFilter):  # type: ignore[misc]  # the theme has no types
    """A filter by month. The month is written as in URLs, such as 2026-11."""

    title = _("month (2026-11)")
    parameter_name = "of_month"

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Invoice]") -> "QuerySet[Invoice]":
        text = self.value()
        month = Month.parse(text) if text else None
        if text and month is None:
            messages.warning(request, f"“{text[:20]}” is not a valid month. Use 2026-11.")
        return queryset.filter(month=month.first) if month else queryset


def _sum(name: str, title: str) -> Callable[["InvoiceAdmin", Invoice], str]:
    @column(title)
    def shown(self: "InvoiceAdmin", invoice: Invoice) -> str:
        return amount_of(getattr(invoice, f"{name}_micros"), invoice.currency)

    return shown


def _shown_once(name: str, title: str) -> Callable[["InvoiceAdmin", Invoice], str]:
    """Return a column that shows the value `name` of those that `get_object` computed once for the whole page."""

    @column(title)
    def shown(self: "InvoiceAdmin", invoice: Invoice) -> str:
        made: str = invoice.__dict__["shown"][name]
        return made

    return shown


@admin.register(Invoice)
class InvoiceAdmin(OfTenant, RecordAdmin):
    id_fields = ("id", "tenant_id")
    search_help_text = _("Number, whole ID, tenant or email")
    list_display = (
        *("numbered", "stands", "owner", "month_billed"),
        *("total", "still_open", "issued_on", "due_on"),
    )
    list_filter = (
        ("tenant", AutocompleteSelectFilter),
        ("status", ChoicesDropdownFilter),
        ("kind", ChoicesDropdownFilter),
        MonthFilter,
    )
    list_select_related = ("tenant", "corrects")
    ordering = ("-id",)
    fields = (
        *("possible_actions", *FACTS, "issued_on", "due_on", *SUMS, "tax_name", "tax_rate_bp", "tax_note"),
        *("sold_by", "made_out_to", "billed", "notes", "made_by", "notified_at", "paid_at", "id"),
    )

    net, tax, total = _sum("net", "before tax"), _sum("tax", "tax"), _sum("total", "total")
    due, paid = _sum("due", "due at issue"), _sum("paid", "paid")
    credited = _sum("credited", "credited")
    written_off = _sum("written_off", "written off")

    def get_urls(self) -> list[URLPattern]:
        def at(route: str, view: Callable[..., HttpResponse], name: str) -> URLPattern:
            found: URLPattern = path(route, self.admin_site.admin_view(view), name=f"tenants_invoice_{name}")
            return found

        own = [
            at("draw/", draw_page, "draw"),
            at("<uuid:invoice_id>/credit/", credit_page, "credit"),
            at("<uuid:invoice_id>/write-off/", write_off_page, "write_off"),
            at("<uuid:invoice_id>/pdf/", self.pdf, "pdf"),
        ]
        return [*own, *super().get_urls()]

    def pdf(self, request: HttpRequest, invoice_id: UUID) -> HttpResponse:
        invoice = find_invoice(invoice_id)
        if invoice is None or not self.has_view_permission(request, invoice):
            raise Http404(_("Invoice not found."))
        return pdf_file(whole(invoice))

    def begins_with(self, term: str) -> Iterator[Q]:
        yield Q(number=term.upper())
        yield from super().begins_with(term)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if request.method == "GET":
            self._say_what_can_be_billed(request)
        answer: HttpResponse = super().changelist_view(request, extra_context)
        return answer

    def _say_what_can_be_billed(self, request: HttpRequest) -> None:
        if Seller.objects.exists():
            if request.user.has_perm("tenants.add_invoice"):
                url = reverse("admin:tenants_invoice_draw")
                messages.info(request, format_html('<a href="{}">Bill a month now</a>', url))
            return
        url = reverse("admin:tenants_seller_add")
        text = '<a href="{}">Add your company details</a> to issue invoices.'
        messages.warning(request, format_html(text, url))

    @column(_("number"), order_by="id")
    def numbered(self, invoice: Invoice) -> str:
        return invoice.number

    @column(_("state"))
    def stands(self, invoice: Invoice) -> str:
        return badge(standing(invoice))

    @column(_("month"), order_by="month")
    def month_billed(self, invoice: Invoice) -> str:
        return f"{invoice.month:%Y-%m}"

    @column(_("open amount"))
    def still_open(self, invoice: Invoice) -> str:
        return amount_of(invoice.open_micros, invoice.currency) if invoice.open_micros else NOTHING

    @column(_("corrects"))
    def correction_of(self, invoice: Invoice) -> str:
        return link_to(invoice.corrects)

    @column(_("seller"))
    def sold_by(self, invoice: Invoice) -> SafeString | str:
        return _party(invoice.seller)

    @column(_("buyer"))
    def made_out_to(self, invoice: Invoice) -> SafeString | str:
        return _party(invoice.buyer)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Invoice | None:
        """Return the invoice with what its page shows, read once: the theme asks for it several times per page."""
        invoice: Invoice | None = super().get_object(request, object_id, from_field)
        if invoice is not None:
            may = request.user.has_perm("tenants.change_invoice")
            parts = {
                "lines": _lines(invoice),
                "notes": _notes(invoice),
                "actions": _actions(invoice, may=may),
            }
            invoice.__dict__["shown"] = parts
        return invoice

    billed = _shown_once("lines", "Lines")
    notes = _shown_once("notes", "Credit notes")
    possible_actions = _shown_once("actions", "Actions")


def _notes(invoice: Invoice) -> SafeString | str:
    notes = Invoice.objects.filter(tenant_id=invoice.tenant_id, corrects=invoice).order_by("id")
    rows = ((link_to(note), amount_of(note.total_micros, note.currency), note.reason) for note in notes)
    return format_html_join("", "<div>{} · {} · {}</div>", rows) or NOTHING


def _actions(invoice: Invoice, *, may: bool) -> SafeString:
    offered = [("pdf", "PDF")]
    if may and invoice.kind == Invoice.Kind.INVOICE:
        offered.append(("credit", "Issue credit note"))
        if invoice.open_micros:
            offered.append(("write_off", "Write off open amount"))
    links = ((reverse(f"admin:tenants_invoice_{name}", args=[invoice.pk]), title) for name, title in offered)
    return format_html_join(" · ", '<a class="ln" href="{}">{}</a>', links)


def _party(party: dict[str, Any]) -> SafeString | str:
    rows = ((row,) for row in party_rows(party))
    return format_html_join("", "<div>{}</div>", rows) or NOTHING


def _lines(invoice: Invoice) -> SafeString | str:
    found = InvoiceLine.objects.filter(tenant_id=invoice.tenant_id, invoice=invoice).order_by("position")
    rows = [
        (
            line.text,
            quantity_of(line.quantity, line.price) if line.quantity else "",
            quantity_of(line.included, line.price) if line.included else "",
            amount_of(line.amount_micros, invoice.currency),
        )
        for line in found[: MAX_LINES + 1]
    ]
    shown = format_html_join("", "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>", rows[:MAX_LINES])
    if not shown:
        return NOTHING
    head = "<tr><th>Item</th><th>Quantity</th><th>Included</th><th>Amount</th></tr>"
    more = "<p>More lines are in the PDF.</p>" if len(rows) > MAX_LINES else ""
    table = '<table class="op-table"><thead>{}</thead><tbody>{}</tbody></table>{}'
    return format_html(table, SafeString(head), shown, SafeString(more))
