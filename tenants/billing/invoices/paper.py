"""The content of an invoice's PDF: only facts that never change, so the PDF can be made again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from tenants.billing.invoices.amounts import amount, amount_of, percent, quantity_of, unit_price
from tenants.billing.invoices.models import Invoice, InvoiceLine
from tenants.core.times import day_text

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PaperLine:
    text: str
    quantity: str
    included: str
    unit_price: str
    amount: str


@dataclass(frozen=True, slots=True)
class Paper:
    title: str
    number: str
    issued_on: date
    seller_name: str
    seller: Sequence[str]
    buyer: Sequence[str]
    facts: Pairs
    """Pairs of name and value: number, dates, period."""
    lines: Sequence[PaperLine]
    currency: str
    totals: Pairs
    """The sums. The last one is the total."""
    notes: Sequence[str]
    payment: Pairs
    footer: str


def paper_of(invoice: Invoice, lines: Iterable[InvoiceLine], *, corrects: Invoice | None = None) -> Paper:
    """Return the content. `corrects` is the invoice that a credit note is for."""
    seller, lines = invoice.seller, list(lines)
    reason = "" if any(line.text == invoice.reason for line in lines) else invoice.reason
    return Paper(
        title="Credit note" if _is_note(invoice) else "Invoice",
        number=invoice.number,
        issued_on=invoice.issued_on,
        seller_name=str(seller.get("name", "")),
        seller=party_rows(seller),
        buyer=party_rows(invoice.buyer),
        facts=_facts(invoice, corrects),
        lines=[_line(line, invoice.currency) for line in lines],
        currency=invoice.currency,
        totals=_totals(invoice),
        notes=[note for note in (reason, invoice.tax_note) if note],
        payment=_payment(invoice),
        footer=str(seller.get("footer", "")),
    )


def period_of(invoice: Invoice) -> tuple[date, date]:
    """Return the first and the last day, both included."""
    return invoice.period_start.date(), (invoice.period_end - timedelta(microseconds=1)).date()


def tax_name(invoice: Invoice) -> str:
    return f"{invoice.tax_name or 'Tax'} {percent(invoice.tax_rate_bp)}"


def _is_note(invoice: Invoice) -> bool:
    return invoice.kind == Invoice.Kind.CREDIT_NOTE


def party_rows(party: Mapping[str, object]) -> list[str]:
    """Return the text lines for name, address, country, tax id and email."""
    values = {name: str(party.get(name) or "").strip() for name in ("name", "address", "country", "email")}
    tax_id = str(party.get("tax_id") or "").strip()
    rows = [values["name"], *values["address"].splitlines(), values["country"]]
    rows += [f"Tax ID: {tax_id}" if tax_id else "", values["email"]]
    return [row for row in rows if row.strip()]


def _facts(invoice: Invoice, corrects: Invoice | None) -> Pairs:
    first, last = period_of(invoice)
    note = _is_note(invoice)
    facts = [
        ("Number", invoice.number),
        ("Issued on", day_text(invoice.issued_on)),
        ("Corrects invoice", f"{corrects.number} of {day_text(corrects.issued_on)}" if corrects else ""),
        ("Due on", "" if note else day_text(invoice.due_on)),
        ("Service period", f"{day_text(first)} to {day_text(last)}"),
        ("Your reference", str(invoice.buyer.get("reference") or "")),
    ]
    return [(name, value) for name, value in facts if value]


def _line(line: InvoiceLine, currency: str) -> PaperLine:
    used = line.kind == InvoiceLine.Kind.USAGE
    return PaperLine(
        text=line.text,
        quantity=quantity_of(line.quantity, line.price) if used else "",
        included=quantity_of(line.included, line.price) if used and line.included else "",
        unit_price=unit_price(line.price),
        amount=amount(line.amount_micros, currency),
    )


def _totals(invoice: Invoice) -> Pairs:
    currency = invoice.currency
    totals = [
        ("Net", amount_of(invoice.net_micros, currency)),
        (
            f"{tax_name(invoice)} of {amount(invoice.net_micros, currency)}",
            amount_of(invoice.tax_micros, currency),
        ),
    ]
    if _is_note(invoice):
        return [*totals, ("Credited", amount_of(invoice.total_micros, currency))]
    from_balance = invoice.total_micros - invoice.due_micros
    totals.append(("Total", amount_of(invoice.total_micros, currency)))
    if from_balance:
        totals.append(("Paid from balance", amount_of(-from_balance, currency)))
    return [*totals, ("Amount due", amount_of(invoice.due_micros, currency))]


def _payment(invoice: Invoice) -> Pairs:
    if _is_note(invoice):
        return []
    if not invoice.due_micros:
        return [("Payment", "Nothing is due: paid in full from the balance.")]
    due = amount_of(invoice.due_micros, invoice.currency)
    rows = [
        ("Payment", f"{due} by {day_text(invoice.due_on)}"),
        ("Reference", invoice.number),
        ("Bank details", str(invoice.seller.get("bank_details") or "").strip()),
    ]
    return [(name, value) for name, value in rows if value]
