"""Reads of a tenant's usage; inside its unit of work."""

from datetime import date

from django.db.models import Min, Sum

from tenants.billing.models import UsageDay
from tenants.billing.months import Month
from tenants.billing.summary import UsageLine


def usage_of(month: Month) -> list[UsageLine]:
    """One line for each day, model, meter, currency and mode, in this order."""
    rows = (
        UsageDay.objects.filter(day__gte=month.first, day__lt=month.after_last)
        .values_list("day", "model", "meter", "currency", "livemode")
        .annotate(Sum("quantity"), Sum("amount_micros"), Sum("records"))
        .order_by("day", "model", "meter", "currency", "-livemode")
    )
    # Postgres sums big integers into decimals.
    return [UsageLine(*row[:5], *(int(number) for number in row[5:])) for row in rows]


def first_day_used() -> date | None:
    found: date | None = UsageDay.objects.aggregate(Min("day"))["day__min"]
    return found
