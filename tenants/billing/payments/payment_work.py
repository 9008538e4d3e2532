"""The scope in which payments are written: as the operator, in one transaction, without calls to a provider inside."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connections, transaction

from tenants.billing.invoices.models import Invoice
from tenants.billing.payments.models import Payment
from tenants.billing.payments.paying import locked_invoice
from tenants.core.db.unit_of_work import OPERATOR, operator_work


@contextmanager
def books() -> Iterator[None]:
    with operator_work(), transaction.atomic(using=OPERATOR):
        yield


def wait_for_form(once: UUID | None) -> None:
    """Take the form's lock, before all other locks. A request with the same form at the same moment then finds what the
    first one has made.
    """
    if once is not None:
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"form {once}"])


def locked_payment(payment_id: UUID) -> tuple[Payment, Invoice | None]:
    """Return the locked payment and its invoice. The invoice is locked first. A payment never changes its invoice."""
    invoice_id = Payment.objects.values_list("invoice_id", flat=True).get(id=payment_id)
    invoice = locked_invoice(invoice_id)
    return Payment.objects.select_for_update(no_key=True).get(id=payment_id), invoice
