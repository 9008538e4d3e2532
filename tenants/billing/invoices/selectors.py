"""Reads of issued invoices and of upcoming ones."""

import time
from uuid import UUID

from django.db.models import QuerySet

from tenants.billing.invoices.calculation import Draft
from tenants.billing.invoices.collecting import records_of
from tenants.billing.invoices.errors import NotBillable
from tenants.billing.invoices.models import Invoice
from tenants.billing.invoices.services import preview_month
from tenants.billing.invoices.slow_results import SlowResults
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work
from tenants.core.months import Month

MAX_RECORDS = 2_000_000
"""The most records that are summed up during a request."""
_told: SlowResults[list[Draft]] = SlowResults()


def invoices_of(tenant_id: UUID) -> "QuerySet[Invoice]":
    """Return invoices and credit notes, newest first."""
    return Invoice.objects.filter(tenant_id=tenant_id).order_by("-issued_on", "-id")


def upcoming(tenant_id: UUID) -> list[Draft] | None:
    """Return the drafts for the present month until now. Return None if nothing is billed here or if there is too much
    to sum up.

    It reads as the operator, outside the tenant's unit of work. A result that took long is cached for a while.
    """
    begun_s = time.monotonic()
    with operator_work():
        month = Month.of(database_now().date())
        if known := _told.find((tenant_id, month), begun_s):
            return known
        if records_of(tenant_id, month) > MAX_RECORDS:
            return None
    try:
        found = preview_month(tenant_id, month)
    except NotBillable:
        return None
    now_s = time.monotonic()
    _told.keep((tenant_id, month), found, took_s=now_s - begun_s, now_s=now_s)
    return found
