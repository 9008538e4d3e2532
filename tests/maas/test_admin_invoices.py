"""Tests that operators set the seller, bill a month, take back or give up an invoice, all of it recorded."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tenants.accounts.models import User
from tenants.audit.models import AuditEntry
from tenants.billing.invoices.models import BillingDetails, Invoice, Seller
from tenants.core.db.unit_of_work import operator_work
from tenants.core.months import Month
from tenants.onboarding.create_tenant import CreatedTenant
from tests.flows.invoices import SELLER, credit_note, issued

SAID = {
    **SELLER,
    "prefix": "T",
    "tax_name": "VAT",
    "tax_rate_bp": "19",
    "payment_days": "14",
    "bills_from": "2026-01-17",
}


@pytest.fixture
def seller() -> Any:
    """Remove the seller, since there is one for all tests. It is put back as it was."""
    with operator_work():
        kept = Seller.objects.first()
        Seller.objects.all().delete()
        yield
        Seller.objects.all().delete()
        if kept:
            kept.save(force_insert=True)


@pytest.fixture
def selling(operator: Client, seller: None) -> None:
    operator.post(reverse("admin:tenants_seller_add"), SAID)


def page(name: str, *args: object) -> str:
    return reverse(f"admin:tenants_invoice_{name}", args=args)


def actions(tenant: CreatedTenant) -> list[str]:
    with operator_work():
        return list(
            AuditEntry.objects.filter(tenant_id=tenant.tenant.id, actor_kind="operator")
            .order_by("id")
            .values_list("action", flat=True)
        )


def again(invoice: Invoice) -> Invoice:
    with operator_work():
        return Invoice.objects.get(id=invoice.id)


def test_the_list_says_that_nothing_is_billed_until_somebody_sells(operator: Client, seller: None) -> None:
    assert "Add your company details" in operator.get(page("changelist")).content.decode()
    assert operator.post(reverse("admin:tenants_seller_add"), SAID).status_code == 302
    with operator_work():
        made = Seller.objects.get()
    assert (f"{made.bills_from}", made.tax_rate_bp) == ("2026-01-01", 1_900)
    assert 'value="19' in operator.get(reverse("admin:tenants_seller_change", args=[made.pk])).content.decode()
    assert "Add your company details" not in operator.get(page("changelist")).content.decode()
    assert operator.get(reverse("admin:tenants_seller_add")).status_code == 403


def test_a_month_is_looked_at_and_then_billed(
    operator: Client, person: User, tenant: CreatedTenant, selling: None
) -> None:
    this_month = Month.of(timezone.now().date())
    said = {"tenant": str(tenant.tenant.id), "month": str(this_month)}
    looked = operator.post(page("draw"), {**said, "look": ""})
    assert "Nothing to bill" in looked.content.decode()
    early = operator.post(page("draw"), {**said, "closes": "on", "draw": ""})
    assert f"{this_month} is not over yet" in early.content.decode()
    assert operator.post(page("draw"), {**said, "draw": ""}).status_code == 302
    with operator_work():
        assert not Invoice.objects.filter(tenant=tenant.tenant).exists()
        (entry,) = LogEntry.objects.filter(object_id=str(tenant.tenant.id), user=person)
    assert "nothing to bill" in entry.change_message


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"month": "October"}, "Enter year and month"),
        ({"tenant": "019dfa14-0000-7000-8000-000000000000"}, "Tenant not found"),
        ({"tenant": "x"}, "valid UUID"),
    ],
)
def test_what_cannot_be_billed_is_said(
    operator: Client, tenant: CreatedTenant, said: dict[str, str], words: str
) -> None:
    known = {"tenant": str(tenant.tenant.id), "month": "2026-10"}
    assert words in operator.post(page("draw"), {**known, **said, "draw": ""}).content.decode()


def test_a_part_is_taken_back_once_however_often_it_is_sent(
    operator: Client, person: User, tenant: CreatedTenant, selling: None
) -> None:
    invoice = issued(tenant.tenant.id)
    assert "Up to 67.00 EUR of" in operator.get(page("credit", invoice.id)).content.decode()
    said = {"net": "18", "reason": "Pages were read twice", "taken_back": "0"}
    assert operator.post(page("credit", invoice.id), said).status_code == 302
    twice = operator.post(page("credit", invoice.id), said)
    assert "Another credit note was issued since" in twice.content.decode()
    with operator_work():
        (note,) = Invoice.objects.filter(corrects=invoice)
    assert (note.net_micros, note.reason, note.made_by) == (18_000_000, "Pages were read twice", person.email)
    assert again(invoice).open_micros == 79_730_000 - note.total_micros
    assert actions(tenant) == ["invoice.credited"]
    with operator_work():
        assert LogEntry.objects.filter(object_id=str(invoice.id), user=person).count() == 1


@pytest.mark.parametrize("net", ["1000", "0.001", "-1"])
def test_more_than_is_left_or_less_than_a_cent_is_not_taken_back(
    operator: Client, tenant: CreatedTenant, selling: None, net: str
) -> None:
    invoice = issued(tenant.tenant.id)
    said = {"net": net, "reason": "why", "taken_back": "0"}
    assert operator.post(page("credit", invoice.id), said).status_code == 200
    with operator_work():
        assert not Invoice.objects.filter(corrects=invoice).exists()


def test_what_nobody_will_pay_is_written_off(operator: Client, tenant: CreatedTenant) -> None:
    invoice = issued(tenant.tenant.id)
    assert operator.post(page("write_off", invoice.id), {"reason": ""}).status_code == 200
    assert operator.post(page("write_off", invoice.id), {"reason": "Gone"}).status_code == 302
    assert again(invoice).status == "written_off"
    again_said = operator.post(page("write_off", invoice.id), {"reason": "Gone"}).content.decode()
    assert "It has no open amount" in again_said
    assert actions(tenant) == ["invoice.written_off"]


def test_a_credit_note_is_neither_taken_back_nor_written_off(operator: Client, tenant: CreatedTenant) -> None:
    note = credit_note(issued(tenant.tenant.id))
    for name in ("credit", "write_off"):
        assert operator.get(page(name, note.id)).status_code == 404


def test_an_invoice_is_found_and_shown_and_has_its_pdf(operator: Client, tenant: CreatedTenant) -> None:
    invoice = issued(tenant.tenant.id, overdue=True)
    for asked in (
        {"q": invoice.number.lower()},
        {"q": str(invoice.id)},
        {"of_month": "2026-10", "tenant__id__exact": str(tenant.tenant.id)},
    ):
        found = operator.get(page("changelist"), asked).context["cl"].result_list
        assert [row.pk for row in found] == [invoice.id], asked
    shown = operator.get(page("change", invoice.id)).content.decode()
    for said in ("parse, pages", "18.00 EUR", "overdue", "FR98765432100", "Write off open amount"):
        assert said in shown, said
    assert operator.get(page("pdf", invoice.id)).content.startswith(b"%PDF-")
    assert operator.post(page("change", invoice.id), {}).status_code == 403


def test_who_may_only_look_changes_nothing(client: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        person = User.objects.create_user("looks-at-invoices@example.com", is_staff=True)
        person.user_permissions.set(Permission.objects.filter(codename="view_invoice"))
    client.force_login(person)
    invoice = issued(tenant.tenant.id)
    assert client.get(page("change", invoice.id)).status_code == 200
    for address in (page("draw"), page("credit", invoice.id), page("write_off", invoice.id)):
        assert client.get(address).status_code == 403
    with operator_work():
        person.user_permissions.clear()
    assert client.get(page("pdf", invoice.id)).status_code in (403, 404)


def test_how_a_tenant_is_taxed_is_said_here_and_written_down(operator: Client, tenant: CreatedTenant) -> None:
    said = {"tenant_id": str(tenant.tenant.id), "name": "Atelier", "country": "FR", "tax": "reverse_charge"}
    assert operator.post(reverse("admin:tenants_billingdetails_add"), said).status_code == 302
    twice = operator.post(reverse("admin:tenants_billingdetails_add"), said)
    assert "already has billing details" in twice.content.decode()
    with operator_work():
        details = BillingDetails.objects.get(tenant=tenant.tenant)
    at = reverse("admin:tenants_billingdetails_change", args=[details.pk])
    assert operator.post(at, {**said, "tax": "exempt"}).status_code == 302
    with operator_work():
        entries = AuditEntry.objects.filter(tenant_id=tenant.tenant.id, action="billing.changed").order_by("-id")
        last, _ = entries
    assert last.changes == {"tax": {"before": "reverse_charge", "after": "exempt"}}
