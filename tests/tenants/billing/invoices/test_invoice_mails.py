"""Tests that the payer gets each issued invoice once, with its PDF, and that a mail server is tried again."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from tenants.accounts.models import Membership, User
from tenants.billing.invoices.invoice_mails import mail_invoices
from tenants.billing.invoices.models import Invoice
from tenants.core.db.unit_of_work import operator_work
from tenants.core.ids import first_id_at
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.flows.invoices import credit_note, issued

LOCMEM = "django.core.mail.backends.locmem.EmailBackend"


@pytest.fixture(autouse=True)
def mailing(settings: Any) -> None:
    settings.MAAS_EMAIL_URL = "smtp://nobody"
    settings.EMAIL_BACKEND = LOCMEM
    settings.MAAS_PUBLIC_URL = "https://documents.example"
    with operator_work():
        Invoice.objects.filter(notified_at=None).update(notified_at=timezone.now())  # Other tests left them.
    mail.outbox.clear()


def of(invoice: Invoice) -> list[Any]:
    return [one for one in mail.outbox if one.subject.endswith(invoice.number)]


def notified_at(invoice: Invoice) -> Any:
    with operator_work():
        return Invoice.objects.get(id=invoice.id).notified_at


def member(tenant: CreatedTenant, role: str, **fields: Any) -> str:
    with operator_work():
        person = User.objects.create_user(f"{unique(role)}@example.com", **fields)
        Membership.objects.create(tenant=tenant.tenant, user=person, role=role)
    return person.email


def test_owners_billing_members_and_the_buyers_address_get_it_once(tenant: CreatedTenant) -> None:
    books = member(tenant, "billing")
    member(tenant, "developer")
    member(tenant, "billing", is_active=False)
    invoice = issued(tenant.tenant.id)
    mail_invoices()
    mail_invoices()
    sent = of(invoice)
    assert sorted(one.to[0] for one in sent) == sorted([books, tenant.owner.email, "compta@eluard.example"])
    assert all(len(one.recipients()) == 1 for one in sent)
    (attached,) = sent[0].attachments
    assert (attached[0], attached[1][:5], attached[2]) == (
        f"{invoice.number}.pdf",
        b"%PDF-",
        "application/pdf",
    )
    assert f"https://documents.example/billing/invoices/{invoice.id}" in sent[0].body
    assert f"Amount due: 79.73 EUR by {invoice.due_on}" in sent[0].body
    assert notified_at(invoice)


def test_who_is_named_twice_gets_it_once(tenant: CreatedTenant) -> None:
    invoice = issued(tenant.tenant.id, buyer={"email": tenant.owner.email.upper()})
    mail_invoices()
    assert [one.to for one in of(invoice)] == [[tenant.owner.email]]


def test_what_is_to_be_paid_is_said_in_words(tenant: CreatedTenant) -> None:
    paid = issued(tenant.tenant.id, balance_micros=79_730_000, status="paid")
    note = credit_note(paid)
    mail_invoices()
    assert "Nothing is due" in of(paid)[0].body
    assert of(note)[0].subject == f"Credit note {note.number}"
    assert "Credited: 21.42 EUR" in of(note)[0].body


def test_a_server_that_is_away_is_tried_again(tenant: CreatedTenant, settings: Any) -> None:
    invoice = issued(tenant.tenant.id)
    settings.EMAIL_BACKEND = "tests.tenants.billing.invoices.test_invoice_mails.Away"
    mail_invoices()
    assert notified_at(invoice) is None
    settings.EMAIL_BACKEND = LOCMEM
    mail_invoices()
    assert of(invoice)


class Away(BaseEmailBackend):
    def send_messages(self, messages: object) -> int:
        raise OSError("no route to host")


def test_no_name_adds_a_header_or_a_line(tenant: CreatedTenant) -> None:
    invoice = issued(tenant.tenant.id, buyer={"name": "A\nBcc: x@example.com", "email": "no address\n"})
    mail_invoices()
    sent = of(invoice)
    assert [one.to for one in sent] == [[tenant.owner.email]]
    assert "A Bcc: x@example.com" in sent[0].body


def test_old_ones_and_those_of_a_product_without_mail_are_not_sent(tenant: CreatedTenant, settings: Any) -> None:
    old = issued(tenant.tenant.id, id=first_id_at(timezone.now() - timedelta(days=4)))
    mail_invoices()
    assert not of(old)
    settings.MAAS_EMAIL_URL = ""
    fresh = issued(tenant.tenant.id)
    assert mail_invoices() == 0
    assert notified_at(fresh) is None
