"""What a month's use of models came to: as a page, and as lines for a spreadsheet."""

import csv
import io

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from tenants.billing.months import Month
from tenants.billing.prices import display
from tenants.billing.selectors import first_day_used, usage_of
from tenants.billing.summary import UsageLine, summarised
from tenants.context import unit_of_work
from tenants.identity import Identity
from tenants.pages.members import members_only
from tenants.pages.usage.chart import METER_TITLES, chart_of
from tenants.pages.usage.limit_rows import limit_rows
from tenants.pages.usage.rows import meters_of, rows_by_day, rows_by_model, tiles
from tenants.rates.spending import spending

COLUMNS = ("day", "model", "meter", "mode", "currency", "quantity", "amount", "records")


@require_safe
@members_only
def usage_page(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("usage:read")
    month, current = _asked(request), Month.of(timezone.now().date())
    with unit_of_work(identity.tenant_id):
        lines = usage_of(month)
        first = first_day_used()
    summary = summarised(lines)
    limits = identity.rates.every if month == current else ()
    context = {
        "limits": limit_rows(limits, spending().standings(limits) if limits else None),
        "month": month,
        "is_current": month == current,
        "previous": month.previous if first and month.first > first else None,
        "next": month.next if month < current else None,
        "tiles": tiles(summary.live),
        "tests": tiles(summary.test) if summary.test else [],
        "meters": [METER_TITLES[meter] for meter in meters_of(summary)],
        "models": rows_by_model(summary),
        "days": rows_by_day(summary),
        "chart": chart_of(month, lines, summary),
        "used_ever": first is not None,
    }
    return render(request, "tenants/usage/usage.html", context)


@require_safe
@members_only
def usage_csv(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("usage:read")
    month = _asked(request)
    with unit_of_work(identity.tenant_id):
        lines = usage_of(month)
    response = HttpResponse(_as_csv(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="usage-{month}.csv"'
    return response


def _asked(request: HttpRequest) -> Month:
    """The current month unless another is named; none of the future."""
    current = Month.of(timezone.now().date())
    text = request.GET.get("month")
    month = Month.parse(text) if text else current
    if month is None or month > current:
        raise Http404(f"{text!r} is no month that has begun. Write it as year-month, such as {current}.")
    return month


def _as_csv(lines: list[UsageLine]) -> str:
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(COLUMNS)
    for line in lines:
        mode = "live" if line.livemode else "test"
        amount = display(line.amount_micros)
        writer.writerow(
            [line.day, line.model, line.meter, mode, line.currency, line.quantity, amount, line.records]
        )
    return written.getvalue()
