"""Sends issued invoices to who pays: owners, billing members, and the address that the invoice is made out to."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from urllib.parse import urljoin
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connections
from django.urls import reverse

from tenants.accounts.models import Membership
from tenants.billing.invoices.amounts import amount_of
from tenants.billing.invoices.as_pdf import invoice_as_pdf
from tenants.billing.invoices.files import PDF, file_name
from tenants.billing.invoices.issued import WholeInvoice, find_invoice, whole
from tenants.billing.invoices.models import Invoice
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.ids import first_id_at

log = structlog.get_logger(__name__)
AT_ONCE = 100
TRIED_FOR = timedelta(days=3)
TOLD = (Membership.Role.OWNER, Membership.Role.BILLING)

# Taken before it is sent: whoever dies in between has told nobody, and the page of the invoice has it all the same.
_TAKE = """
UPDATE tenants_invoice SET told_at = clock_timestamp() WHERE id IN (
    SELECT id FROM tenants_invoice WHERE id >= %(since)s AND told_at IS NULL
    ORDER BY id LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
RETURNING id
"""
_GIVE_BACK = "UPDATE tenants_invoice SET told_at = NULL WHERE id = ANY(%(ids)s)"
_TEXT = """\
{title} {number} of {seller} for {buyer} is attached.

{sums}

It is also here, with its lines as CSV and JSON: {link}
"""


def tell_of_invoices() -> int:
    """How many were sent to somebody. A mail server that is away is tried again for three days."""
    if not settings.MAAS_EMAIL_URL:
        return 0
    with operator_work():
        taken = _take()
        for place, invoice_id in enumerate(taken):
            try:
                _tell(invoice_id)
            except OSError as error:
                _give_back(taken[place:])
                log.warning("invoice_not_mailed", error=str(error), invoices=len(taken) - place)
                return place
            except Exception:
                # What is wrong with one keeps no other waiting; it is not tried again.
                log.exception("invoice_mail_failed", invoice_id=str(invoice_id))
        return len(taken)


def _take() -> list[UUID]:
    since = first_id_at(database_now() - TRIED_FOR)
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TAKE, {"since": since, "most": AT_ONCE})
        return sorted(found for (found,) in cursor.fetchall())


def _give_back(ids: list[UUID]) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_GIVE_BACK, {"ids": ids})


def _tell(invoice_id: UUID) -> None:
    """Each by a mail of their own: addresses are nobody else's to see. Raises where nobody could be told."""
    invoice = find_invoice(invoice_id)
    assert invoice is not None
    found = whole(invoice)
    paper = invoice_as_pdf(found.paper)
    told = 0
    with get_connection() as connection:
        for address in _addresses(invoice):
            try:
                told += _mail(found, paper, address, connection).send()
            except (SMTPRecipientsRefused, ValueError):  # or an address that is none
                log.info("invoice_refused", tenant_id=str(invoice.tenant_id))
            except OSError:
                # Once: whoever has been told is not told again for the sake of others.
                if not told:
                    raise
                break


def _addresses(invoice: Invoice) -> list[str]:
    members = Membership.objects.filter(tenant_id=invoice.tenant_id, role__in=TOLD, user__is_active=True)
    found = [*members.order_by("user__email").values_list("user__email", flat=True)]
    return list(dict.fromkeys(one.lower() for one in (*found, str(invoice.buyer.get("email") or "")) if one))


def _mail(found: WholeInvoice, content: bytes, address: str, connection: BaseEmailBackend) -> EmailMessage:
    paper, invoice = found.paper, found.invoice
    text = _TEXT.format(
        title=paper.title,
        number=paper.number,
        seller=_in_a_line(paper.seller_name),
        buyer=_in_a_line(str(invoice.buyer.get("name") or "")),
        sums=_sums(invoice),
        link=urljoin(settings.MAAS_PUBLIC_URL, reverse("invoice", args=[invoice.id])),
    )
    mail = EmailMessage(f"{paper.title} {paper.number}", text, to=[address], connection=connection)
    mail.attach(file_name(invoice, "pdf"), content, PDF)
    return mail


def _sums(invoice: Invoice) -> str:
    total = amount_of(invoice.total_micros, invoice.currency)
    if invoice.kind == Invoice.Kind.CREDIT_NOTE:
        return f"It takes back {total}."
    if not invoice.due_micros:
        return f"It comes to {total}, which was paid from the balance: nothing is to be paid."
    due = amount_of(invoice.due_micros, invoice.currency)
    return f"It comes to {total}. To be paid: {due} by {invoice.due_on}."


def _in_a_line(text: str) -> str:
    return " ".join(text.split())
