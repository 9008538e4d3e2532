"""Bills a tenant's month, issues credit notes, writes invoices off, and gives back what was billed twice."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

import structlog
from django.db import transaction

from tenants.accounts.models import Tenant
from tenants.audit.services import record
from tenants.billing.invoices import collecting, issuing
from tenants.billing.invoices.calculation import (
    Amount,
    Corrected,
    Draft,
    Item,
    MonthOfTime,
    corrected,
    drafts,
    month_amounts,
    still_to_bill,
    with_uncollected,
)
from tenants.billing.invoices.clocks import process_time, require_agreement
from tenants.billing.invoices.errors import NotBillable
from tenants.billing.invoices.issuing import tax_for
from tenants.billing.invoices.models import BillingDetails, ClosedMonth, Invoice, Seller
from tenants.billing.ledger import postings
from tenants.billing.ledger.posting import Source, post
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.months import Month
from tenants.core.shares import unit_micros
from tenants.plans.models import Plan
from tenants.plans.wording import money

log = structlog.get_logger(__name__)
LONGEST_REASON = 200


def draw_month(tenant_id: UUID, month: Month, *, closes: bool, made_by: str = "") -> list[Invoice]:
    """Bill what was not billed yet of a month, with one invoice per currency, if any. Raises NotBillable.

    With `closes`, the month must be over, and later usage is billed as late. Without it, it is billed until now.
    """
    with _alone(tenant_id) as tenant:
        parties = _parties(tenant, made_by)
        now = database_now()
        if closes:
            require_agreement(database=now, process=process_time())
        time = collecting.month_of_time(month, now)
        _require_turn(parties, month, time, closes=closes)
        rest = _rest(tenant_id, month, time)
        found = drafts(rest.amounts, month=month.first, tax=tax_for(parties.seller, parties.details))
        issued = _issued(found, parties, month, time)
        _remember(tenant_id, month, rest.records, closes=closes)
        for invoice in issued:
            _record(invoice, "invoice.issued", money(invoice.total_micros, invoice.currency))
    return issued


def credit(*, tenant_id: UUID, invoice_id: UUID, reason: str, made_by: str, net_micros: int | None = None) -> Invoice:
    """Issue a credit note for this net amount, or for all that is left if it is None. Raises NotBillable."""
    with _alone(tenant_id) as tenant:
        invoice = _locked(tenant_id, invoice_id)
        reason = _checked(reason)
        if invoice.written_off_micros:
            raise NotBillable(f"{invoice.number} was written off, so it cannot be credited.")
        of = Corrected(invoice.net_micros, invoice.tax_micros)
        notes = list(invoice.credit_notes.all())
        before = Corrected(sum(note.net_micros for note in notes), sum(note.tax_micros for note in notes))
        left, unit = of.net_micros - before.net_micros, unit_micros(invoice.currency)
        wanted = left if net_micros is None else net_micros
        if not 0 < wanted <= left or wanted % unit:
            raise NotBillable(
                f"{money(wanted, invoice.currency)} of {invoice.number} cannot be credited. Up to "
                f"{money(left, invoice.currency)} before tax is left. Enter an amount in whole cents."
            )
        part = corrected(wanted, of=of, before=before, unit=unit)
        note = issuing.issue_credit_note(invoice, part, _parties(tenant, made_by), reason=reason)
        description = f"{note.number}, {money(note.total_micros, note.currency)}: {reason}"
        _record(invoice, "invoice.credited", description)
    return note


def write_off(*, tenant_id: UUID, invoice_id: UUID, reason: str, made_by: str) -> Invoice:
    """Write off the open amount of an invoice that will not be paid. It is the operator's loss. Raises NotBillable."""
    with _alone(tenant_id):
        invoice = _locked(tenant_id, invoice_id)
        if invoice.status != Invoice.Status.OPEN:
            raise NotBillable(f"{invoice.number} is {invoice.get_status_display()}. It has no open amount.")
        reason = _checked(reason)
        issuing.write_off_rest(invoice, reason=reason, made_by=made_by)
        lost = money(invoice.written_off_micros, invoice.currency)
        _record(invoice, "invoice.written_off", f"{lost}: {reason}")
    return invoice


def _record(invoice: Invoice, action: str, note: str) -> None:
    tenant_id, number = invoice.tenant_id, invoice.number
    record(tenant_id=tenant_id, action=action, subject_id=invoice.pk, subject=number, note=note)


def preview_month(tenant_id: UUID, month: Month) -> list[Draft]:
    """Return what `draw_month` would bill now. Nothing is written."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        tenant = Tenant.objects.get(id=tenant_id)
        parties = _parties(tenant, "")
        rest = _rest(tenant_id, month, collecting.month_of_time(month, database_now()))
        return drafts(rest.amounts, month=month.first, tax=tax_for(parties.seller, parties.details))


@contextmanager
def _alone(tenant_id: UUID) -> Iterator[Tenant]:
    """Lock the tenant, so that its billing runs one at a time and its plan does not change meanwhile."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        yield Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)


def _parties(tenant: Tenant, made_by: str) -> issuing.Parties:
    seller = Seller.objects.first()
    if seller is None:
        raise NotBillable("Nothing can be billed yet. Add your company details first.")
    details = BillingDetails.objects.filter(tenant_id=tenant.pk).first()
    return issuing.Parties(tenant, seller, details, dict(Plan.objects.values_list("pk", "name")), made_by)


def _require_turn(parties: issuing.Parties, month: Month, time: MonthOfTime, *, closes: bool) -> None:
    first = Month.of(parties.seller.bills_from)
    tenant_id = parties.tenant.pk
    if month < first:
        raise NotBillable(f"{month} is not billed. According to the company details, billing starts with {first}.")
    if time.until <= time.first or (closes and time.until < time.after_last):
        raise NotBillable(f"{month} is not over yet." if closes else f"{month} has not begun.")
    closed = set(ClosedMonth.objects.filter(tenant_id=tenant_id).values_list("month", flat=True))
    if month.first in closed:
        raise NotBillable(f"{month} is already billed. Later usage goes on the next invoice.")
    begun = Month.of(max(first.first, parties.tenant.created_at.date()))
    if begun < month and month.previous.first not in closed:
        raise NotBillable(f"Bill {month.previous} first.")


@dataclass(frozen=True, slots=True)
class _Rest:
    """The amounts that are not billed yet, and the number of records that were seen in each month."""

    amounts: Mapping[Item, Amount]
    records: Mapping[Month, int]


def _rest(tenant_id: UUID, month: Month, time: MonthOfTime) -> _Rest:
    """Return the rest of the month and of closed months with late usage. Nothing is written."""
    amounts: dict[Item, Amount] = {}
    records: dict[Month, int] = {}
    for late in collecting.months_with_late_uses(tenant_id, month):
        found, records[late] = _rest_of(tenant_id, late, collecting.month_of_time(late, database_now()))
        amounts |= found
    found, records[month] = _rest_of(tenant_id, month, time)
    return _Rest(amounts | found, records)


def _rest_of(tenant_id: UUID, month: Month, time: MonthOfTime) -> tuple[dict[Item, Amount], int]:
    collected = collecting.collect(tenant_id, time)
    billed = collecting.billed_of(tenant_id, month)
    without = {item: amount for item, amount in billed.items() if item.kind != "uncollected"}
    rest = still_to_bill(month_amounts(time, collected.segments, collected.settled), without)
    lost = {
        currency: sums.uncollected_micros
        for currency, sums in collecting.charged(tenant_id, month.first, month.after_last).items()
    }
    found = with_uncollected(rest, month=month.first, uncollected_micros=lost, billed=billed)
    return found, collected.records


def _remember(tenant_id: UUID, month: Month, records: Mapping[Month, int], *, closes: bool) -> None:
    """Store the number of records that were read, so that later usage is noticed."""
    for seen, many in records.items():
        if seen != month:
            ClosedMonth.objects.filter(tenant_id=tenant_id, month=seen.first).update(records=many)
    if closes:
        ClosedMonth.objects.create(tenant_id=tenant_id, month=month.first, records=records[month])


def _issued(found: list[Draft], parties: issuing.Parties, month: Month, time: MonthOfTime) -> list[Invoice]:
    tenant_id, issued = parties.tenant.pk, []
    # The locks come first. A charge made meanwhile is either read below or finds afterwards that the month is billed.
    for draft in found:
        issuing.locked_wallet(tenant_id, draft.currency)
    since = collecting.first_billed(tenant_id, month)
    end = min(month.after_last, time.until.date() + timedelta(days=1))
    before, later = collecting.charged(tenant_id, since, end), collecting.charged(tenant_id, end, date.max)
    of_bills = collecting.revenue_of_bills(tenant_id)
    for draft in found:
        if draft.net_micros < 0:
            # More became included after a part of the month was billed. Operators then write a credit note.
            comes_to = money(draft.net_micros, draft.currency)
            log.warning("month_overbilled", tenant_id=str(tenant_id), month=str(month), net=comes_to)
            continue
        currency = draft.currency
        charges = before[currency].collected_micros if currency in before else 0
        net = collecting.invoiced_net(tenant_id, currency) + draft.net_micros
        issued.append(
            issuing.issue(
                draft,
                parties,
                time=time,
                adjusted_micros=net - charges - of_bills.get(currency, 0),
                later_micros=later[currency].taken_micros if currency in later else 0,
            )
        )
    return issued


def _locked(tenant_id: UUID, invoice_id: UUID) -> Invoice:
    of_tenant = Invoice.objects.select_for_update(no_key=True).filter(tenant_id=tenant_id)
    invoice = of_tenant.filter(id=invoice_id, kind=Invoice.Kind.INVOICE).first()
    if invoice is None:
        raise NotBillable("Invoice not found.")
    return invoice


def _checked(reason: str) -> str:
    found = reason.strip()
    if not 1 <= len(found) <= LONGEST_REASON:
        raise NotBillable(
            f"Enter a reason of 1 to {LONGEST_REASON} characters. It is printed and recorded in the ledger."
        )
    return found


def give_back_billed(source: Source, charged: Mapping[date, int]) -> None:
    """Give back the billed part of `charged`, by month of work, in the charge's transaction with the wallet locked.

    A month with late usage may be billed without this work. It is skipped, and the next invoice evens it out.
    """
    closed = ClosedMonth.objects.filter(tenant_id=source.tenant_id, month__in=charged)
    whole = [
        closed_month.month
        for closed_month in closed
        if collecting.records_of(source.tenant_id, Month.of(closed_month.month)) == closed_month.records
    ]
    if back := sum(charged[month] for month in whole):
        post(source, postings.bill(adjusted_micros=-back, tax_micros=0, due_micros=0))
