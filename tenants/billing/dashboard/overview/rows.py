"""Balances, budgets and invoices as rows for people."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from tenants.billing.dashboard.money import shown_money
from tenants.billing.invoices.issued import WORDS, WholeInvoice, standing
from tenants.billing.invoices.models import Invoice
from tenants.billing.invoices.paper import PaperLine
from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.selectors import Balance, IncludedRow
from tenants.billing.payments.models import Payment
from tenants.plans.wording import name_of, number_of, rounded_money, symbol_of

TONES = {"open": "wait", "overdue": "bad", "paid": "good", "written_off": "", "credit_note": ""}
MAX_LINES = 500
KINDS = {Wallet.Kind.PREPAID: "prepaid", Wallet.Kind.INVOICED: "invoiced"}


@dataclass(frozen=True)
class BudgetRow:
    used: str
    monthly: str
    percent: int


@dataclass(frozen=True)
class BalanceRow:
    currency: str
    available: str
    unbilled: str
    """The amount that was used and is not billed yet, of an invoiced balance."""
    kind: str
    notes: Sequence[str]
    budgets: Sequence[BudgetRow]


@dataclass(frozen=True)
class UnitsRow:
    of: str
    left: str
    quantity: str


@dataclass(frozen=True)
class InvoiceRow:
    id: UUID
    number: str
    word: str
    tone: str
    issued_on: date
    due_on: date | None
    """The due date. None if there is nothing to pay."""
    month: date
    total: str
    open: str
    """The open amount, or an empty text if nothing is open."""


@dataclass(frozen=True)
class PaymentRow:
    reference: str
    provider: str
    status: str
    tone: str
    amount: str
    refunded: str
    at: object


@dataclass(frozen=True)
class InvoiceView:
    """An invoice as its page shows it."""

    row: InvoiceRow
    invoice: Invoice
    lines: Sequence[PaperLine]
    more_lines: int
    """The number of lines that the page does not show."""
    totals: Sequence[tuple[str, str]]
    payment: Sequence[tuple[str, str]]
    symbol: str
    since: Sequence[tuple[str, str]]
    """Pairs of text about changes after the invoice was issued."""
    notes: Sequence[InvoiceRow]
    payments: Sequence[PaymentRow]


def units_row(included: IncludedRow) -> UnitsRow:
    return UnitsRow(
        f"Included {name_of(included.meter)}s, {included.model or 'all models'}",
        number_of(included.remaining, included.meter),
        number_of(included.quantity, included.meter),
    )


def balance_row(balance: Balance) -> BalanceRow:
    wallet = balance.wallet
    notes = []
    if wallet.held_micros:
        notes.append(f"{rounded_money(wallet.held_micros, wallet.currency)} reserved for running work")
    if wallet.credit_line_micros:
        notes.append(f"credit line {rounded_money(wallet.credit_line_micros, wallet.currency)}")
    budgets = [
        BudgetRow(
            shown_money(budget.used_micros, wallet.currency),
            shown_money(budget.monthly_micros, wallet.currency),
            min(100, round(100 * budget.used_micros / budget.monthly_micros)) if budget.monthly_micros else 100,
        )
        for budget in balance.budgets
    ]
    return BalanceRow(
        currency=wallet.currency,
        available=shown_money(wallet.available_micros, wallet.currency),
        unbilled=shown_money(max(0, -(wallet.available_micros + wallet.held_micros)), wallet.currency),
        kind=KINDS[Wallet.Kind(wallet.kind)],
        notes=notes,
        budgets=budgets,
    )


def invoice_row(invoice: Invoice) -> InvoiceRow:
    stands = standing(invoice)
    is_open = stands in ("open", "overdue")
    return InvoiceRow(
        id=invoice.id,
        number=invoice.number,
        word=WORDS[stands],
        tone=TONES[stands],
        issued_on=invoice.issued_on,
        due_on=invoice.due_on if is_open else None,
        month=invoice.month,
        total=shown_money(invoice.total_micros, invoice.currency),
        open=shown_money(invoice.open_micros, invoice.currency) if is_open else "",
    )


def invoice_view(found: WholeInvoice, payments: Sequence[Payment]) -> InvoiceView:
    paper = found.paper
    symbol = symbol_of(paper.currency)
    return InvoiceView(
        row=invoice_row(found.invoice),
        invoice=found.invoice,
        lines=paper.lines[:MAX_LINES],
        more_lines=max(0, len(paper.lines) - MAX_LINES),
        totals=[(name, value.replace(paper.currency, symbol)) for name, value in paper.totals],
        payment=[
            (name, value.replace(paper.currency, symbol) if name == "Payment" else value)
            for name, value in paper.payment
        ],
        symbol=symbol,
        since=_since(found.invoice),
        notes=[invoice_row(note) for note in found.credit_notes],
        payments=[payment_row(payment) for payment in payments],
    )


def _since(invoice: Invoice) -> list[tuple[str, str]]:
    if not invoice.due_micros:
        return []
    moved = [
        ("Paid", invoice.paid_micros),
        ("Credited", invoice.credited_micros),
        ("Written off", invoice.written_off_micros),
    ]
    amounts = [(name, shown_money(-micros, invoice.currency)) for name, micros in moved if micros]
    return [*amounts, ("Open", shown_money(invoice.open_micros, invoice.currency))] if amounts else []


def payment_row(payment: Payment) -> PaymentRow:
    tones = {Payment.Status.SUCCEEDED: "good", Payment.Status.FAILED: "bad", Payment.Status.PENDING: "wait"}
    return PaymentRow(
        reference=payment.reference,
        provider=payment.provider,
        status=payment.get_status_display().lower(),
        tone=tones.get(Payment.Status(payment.status), ""),
        amount=shown_money(payment.amount_micros, payment.currency),
        refunded=shown_money(payment.refunded_micros, payment.currency) if payment.refunded_micros else "",
        at=payment.succeeded_at or payment.created_at,
    )
