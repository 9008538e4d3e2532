"""Views of the usage of a month or a year, of a day's single records, and of both as files for a spreadsheet."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from tenants.api_keys.selectors import names_of_keys
from tenants.billing.api.usage import usage_file
from tenants.billing.dashboard.usage.chart import METER_TITLES, OTHERS, chart_of, leading, rest_of
from tenants.billing.dashboard.usage.filters import Stretch, UsageFilter, key_name
from tenants.billing.dashboard.usage.limit_rows import limit_rows, rows_of_counted, rows_of_tests, storage_row
from tenants.billing.dashboard.usage.rows import (
    cache_tiles,
    forecast_tiles,
    meters_of,
    place_of,
    record_row,
    rows_by_day,
    rows_by_name,
    tiles,
    written_place,
)
from tenants.billing.usage.forecast import WINDOW_DAYS, Forecast, forecast
from tenants.billing.usage.selectors import Used, cost_by_day, first_day_used, records, used_in
from tenants.billing.usage.summary import summarized
from tenants.billing.usage.usage_query import GROUPS, Only, UsageQuery
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.months import Month
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.limits.quota.capacity import storage_standing
from tenants.limits.quota.counted import counted_limits
from tenants.limits.rates.free_day import free_day
from tenants.limits.rates.spending import spending
from tenants.tiers.selectors import tier_name_of

RECORDS_AT_ONCE = 100


@require_safe
@members_only
def usage_page(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("usage:read")
    today = timezone.now().date()
    stretch, chosen = Stretch.read(request.GET.dict(), today), UsageFilter.read(request.GET.dict())
    month, is_current = stretch.month, stretch == Stretch(Month.of(today))
    with unit_of_work(identity.tenant_id):
        lines, keys = stretch.by_model(chosen.only), stretch.of_keys(chosen.only)
        leaders = leading([key for key in keys if key.livemode is chosen.livemode])
        drawn = stretch.by_key(leaders, chosen.only)
        first = first_day_used()
        used = used_in(stretch.since, month) if chosen.only != Only() else Used.of(lines, keys)
        storage = storage_standing(identity.tenant_id)
        held = counted_limits(identity.tenant_id) if is_current else []
        tier = tier_name_of(identity.tenant_id) if is_current else None
        names = names_of_keys([key for key in used.keys if key])
        forecasts = _forecasts(month, today, chosen.only, first) if is_current and chosen.livemode else {}
    summary = summarized(lines, livemode=chosen.livemode)
    of_keys = summarized(keys, livemode=chosen.livemode)
    of_models, of_drawn = (
        [line for line in lines_of if line.livemode is chosen.livemode] for lines_of in (lines, drawn)
    )
    named = [replace(line, model=key_name(line.model, names)) for line in of_drawn]
    limits = identity.rates.every if is_current else ()
    context = {
        "limits": [
            *limit_rows(limits, spending().standings(limits) if limits else None),
            *(rows_of_tests(free_day().left(identity.tenant_id)) if is_current else ()),
            *rows_of_counted(held),
        ],
        "storage": storage_row(storage) if is_current else None,
        "tier": tier,
        "stretch": stretch,
        "is_current": is_current,
        "previous": month.previous if first and stretch.since.first > first and not stretch.is_year else None,
        "next": month.next if month < Month.of(today) else None,
        "filter": chosen,
        "model_options": chosen.models(used),
        "key_options": chosen.keys(used, names),
        "can_narrow": len(used.models) > 1 or len(used.keys) > 1 or bool(summary.test) or chosen.narrows,
        "tiles": [*tiles(summary.live), *cache_tiles(summary.live)],
        "forecasts": forecast_tiles(forecasts),
        "tests": tiles(summary.test) if summary.test and chosen.livemode else [],
        "meters": [METER_TITLES[meter] for meter in meters_of(summary)],
        "models": rows_by_name(summary, OTHERS["model"], chosen.of_model),
        "keys": rows_by_name(of_keys, OTHERS["key"], lambda key: chosen.of_key(key, names)),
        "days": rows_by_day(summary, months=stretch.is_year),
        "chart": chart_of(stretch.days, of_models, [*named, *rest_of(of_models, of_drawn)], summary),
        "used_ever": first is not None,
    }
    return render(request, "tenants/usage/usage.html", context)


@require_safe
@members_only
def usage_day(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Show each record of one day, oldest first."""
    identity.require("usage:read")
    day, chosen = _asked_day(request), UsageFilter.read(request.GET.dict())
    after = place_of(request.GET.get("after", ""))
    query = _of_day(day, chosen.of_mode)
    with unit_of_work(identity.tenant_id):
        found = records(query, limit=RECORDS_AT_ONCE + 1, after=after)
        shown = found[:RECORDS_AT_ONCE]
        names = names_of_keys([str(record.key_id) for record in shown if record.key_id])
    context = {
        "day": day,
        "month": Month.of(day),
        "filter": chosen,
        "filter_words": ", ".join(
            [
                *([chosen.model] if chosen.model else []),
                *([key_name(chosen.key, names)] if chosen.key else []),
            ]
        ),
        "records": [record_row(record, names) for record in shown],
        "begun": after is not None,
        "next": written_place(shown[-1]) if len(found) > len(shown) else "",
    }
    return render(request, "tenants/usage/day.html", context)


@require_safe
@members_only
def usage_csv(request: HttpRequest, identity: Identity) -> HttpResponseBase:
    """Return a file. With `day` it holds the records of that day, and with `records` those of the range. Otherwise it
    holds the range's sums by day or month, grouped by all fields.
    """
    identity.require("usage:read")
    chosen = UsageFilter.read(request.GET.dict())
    if request.GET.get("day"):
        return usage_file(identity, _of_day(_asked_day(request), chosen.of_mode), records=True)
    query = Stretch.read(request.GET.dict(), timezone.now().date()).as_query(chosen.of_mode)
    return usage_file(identity, query, records="records" in request.GET)


def _forecasts(month: Month, today: date, only: Only, first: date | None) -> Mapping[str, Forecast]:
    if first is None:
        return {}
    # Filtered usage may have begun later. The forecast then uses that later day as its start.
    begun = first_day_used(only) if only != Only() else first
    since = min(month.first, today - timedelta(days=WINDOW_DAYS))
    found = {
        currency: forecast(month, today, by_day, begun) for currency, by_day in cost_by_day(since, today, only).items()
    }
    return {currency: forecast for currency, forecast in found.items() if forecast is not None}


def _of_day(day: date, only: Only) -> UsageQuery:
    start = datetime.combine(day, time(), UTC)
    return UsageQuery(start, start + timedelta(days=1), "day", GROUPS, only)


def _asked_day(request: HttpRequest) -> date:
    today, text = timezone.now().date(), request.GET.get("day", "")
    try:
        day = date.fromisoformat(text) if text else today
    except ValueError:
        day = None
    if day is None or day > today or day.year < 2000:
        raise Http404(f"No usage for the day {text[:40]!r}. Enter a past day as YYYY-MM-DD, for example {today}.")
    return day
