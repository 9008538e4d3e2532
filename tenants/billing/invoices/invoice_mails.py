"""Sends issued invoices to owners, billing members, and the email address in the billing details."""

from collections.abc import Iterable
from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from urllib.parse import urljoin
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import connections
from django.urls import reverse

from tenants.accounts.models import Membership
from tenants.billing.invoices.amounts import amount_of
from tenants.billing.invoices.formats import PDF, file_name, invoice_as_pdf
from tenants.billing.invoices.issued import WholeInvoice, find_invoice, whole
from tenants.billing.invoices.models import Invoice
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.ids import first_id_at

log = structlog.get_logger(__name__)
AT_ONCE = 100
TRIED_FOR = timedelta(days=3)
TOLD = (Membership.Role.OWNER, Membership.Role.BILLING)

# An invoice is marked before it is sent. If the process dies in between, only its page shows it.
_TAKE = """
UPDATE tenants_invoice SET notified_at = clock_timestamp() WHERE id IN (
    SELECT id FROM tenants_invoice WHERE id >= %(since)s AND notified_at IS NULL
    ORDER BY id LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
RETURNING id
"""
_GIVE_BACK = "UPDATE tenants_invoice SET notified_at = NULL WHERE id = ANY(%(ids)s)"
_TEXT = """\
{title} {number} of {seller} for {buyer} is attached.

{sums}

You can also view it here and download its lines as CSV or JSON: {link}
"""


def mail_invoices() -> int:
    """Send invoices and return the number sent. If the mail server is unavailable, retry for three days."""
    if not settings.MAAS_EMAIL_URL:
        return 0
    with operator_work():
        taken = _take()
        for position, invoice_id in enumerate(taken):
            try:
                _tell(invoice_id)
            except OSError as error:
                _give_back(taken[position:])
                log.warning("invoice_not_mailed", error=str(error), invoices=len(taken) - position)
                return position
            except Exception:
                # A faulty invoice does not delay the others. It is not tried again.
                log.exception("invoice_mail_not_created", invoice_id=str(invoice_id))
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
    invoice = find_invoice(invoice_id)
    assert invoice is not None
    found = whole(invoice)
    mail = _mail(found, invoice_as_pdf(found.paper))
    send_to_each(_addresses(invoice), mail, refused="invoice_mail_refused", tenant_id=invoice.tenant_id)


def send_to_each(addresses: Iterable[str], mail: EmailMessage, *, refused: str, tenant_id: UUID) -> None:
    """Send each recipient a separate mail, because addresses are private. Raise the error if no mail could be sent."""
    sent = 0
    with get_connection() as mail.connection:
        for address in addresses:
            mail.to = [address]
            try:
                sent += mail.send()
            except (SMTPRecipientsRefused, ValueError):  # or the address is invalid
                log.info(refused, tenant_id=str(tenant_id))
            except OSError:
                # If some recipients got the mail, it is not sent again for the sake of the others.
                if not sent:
                    raise
                break


def payers_of(tenant_id: UUID) -> list[str]:
    members = Membership.objects.filter(tenant_id=tenant_id, role__in=TOLD, user__is_active=True)
    return list(members.order_by("user__email").values_list("user__email", flat=True))


def _addresses(invoice: Invoice) -> list[str]:
    found = (*payers_of(invoice.tenant_id), str(invoice.buyer.get("email") or ""))
    return list(dict.fromkeys(address.lower() for address in found if address))


def _mail(found: WholeInvoice, content: bytes) -> EmailMessage:
    paper, invoice = found.paper, found.invoice
    text = _TEXT.format(
        title=paper.title,
        number=paper.number,
        seller=_in_a_line(paper.seller_name),
        buyer=_in_a_line(str(invoice.buyer.get("name") or "")),
        sums=_sums(invoice),
        link=urljoin(settings.MAAS_PUBLIC_URL, reverse("invoice", args=[invoice.id])),
    )
    mail = EmailMessage(f"{paper.title} {paper.number}", text)
    mail.attach(file_name(invoice, "pdf"), content, PDF)
    return mail


def _sums(invoice: Invoice) -> str:
    total = amount_of(invoice.total_micros, invoice.currency)
    if invoice.kind == Invoice.Kind.CREDIT_NOTE:
        return f"Credited: {total}."
    if not invoice.due_micros:
        return f"Total: {total}, paid from the balance. Nothing is due."
    due = amount_of(invoice.due_micros, invoice.currency)
    return f"Total: {total}. Amount due: {due} by {invoice.due_on}."


def _in_a_line(text: str) -> str:
    return " ".join(text.split())
