"""What a month's use of models came to, a day's single records, and both as files for a spreadsheet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from tenants.api.usage import usage_file
from tenants.billing.forecast import WINDOW_DAYS, Forecast, forecast
from tenants.billing.months import Month
from tenants.billing.selectors import (
    cost_by_day,
    days_of_keys,
    first_day_used,
    usage_of,
    usage_of_keys,
    used_in,
)
from tenants.billing.summary import UsageLine, summarised
from tenants.billing.usage.asked import GROUPS, Asked, Only
from tenants.billing.usage.records import records
from tenants.context import unit_of_work
from tenants.identity import Identity
from tenants.key_selectors import names_of_keys
from tenants.pages.members import members_only
from tenants.pages.usage.chart import METER_TITLES, OTHERS, chart_of, leading, rest_of
from tenants.pages.usage.filters import UsageFilter, key_name
from tenants.pages.usage.limit_rows import limit_rows, storage_row
from tenants.pages.usage.record_rows import place_of, record_rows, written_place
from tenants.pages.usage.rows import cache_tiles, forecast_tiles, meters_of, rows_by_day, rows_by_name, tiles
from tenants.rates.spending import spending
from tenants.storage.room import storage_standing

RECORDS_AT_ONCE = 100


@require_safe
@members_only
def usage_page(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("usage:read")
    today = timezone.now().date()
    month, current = _asked_month(request), Month.of(today)
    chosen = UsageFilter.read(request.GET.dict())
    with unit_of_work(identity.tenant_id):
        lines = usage_of(month, chosen.only)
        keys = usage_of_keys(month, chosen.only)
        drawn = days_of_keys(
            month, leading([one for one in keys if one.livemode is chosen.livemode]), chosen.only
        )
        first, used = first_day_used(), used_in(month)
        storage = storage_standing(identity.tenant_id)
        names = names_of_keys([key for key in used.keys if key])
        forecasts = (
            _forecasts(month, today, chosen.only, first) if month == current and chosen.livemode else {}
        )
    summary = summarised(lines, livemode=chosen.livemode)
    of_keys = summarised(_named(keys, names), livemode=chosen.livemode)
    of_models, of_drawn = (
        [line for line in one if line.livemode is chosen.livemode] for one in (lines, drawn)
    )
    by_key = [*_named(of_drawn, names), *rest_of(of_models, of_drawn)]
    limits = identity.rates.every if month == current else ()
    context = {
        "limits": limit_rows(limits, spending().standings(limits) if limits else None),
        "storage": storage_row(storage) if month == current else None,
        "month": month,
        "is_current": month == current,
        "previous": month.previous if first and month.first > first else None,
        "next": month.next if month < current else None,
        "filter": chosen,
        "model_options": chosen.models(used),
        "key_options": chosen.keys(used, names),
        "can_narrow": len(used.models) > 1 or len(used.keys) > 1 or bool(summary.test) or chosen.narrows,
        "tiles": [*tiles(summary.live), *cache_tiles(summary.live)],
        "forecasts": forecast_tiles(forecasts),
        "tests": tiles(summary.test) if summary.test and chosen.livemode else [],
        "meters": [METER_TITLES[meter] for meter in meters_of(summary)],
        "models": rows_by_name(summary, OTHERS["model"]),
        "keys": rows_by_name(of_keys, OTHERS["key"]),
        "days": rows_by_day(summary),
        "chart": chart_of(month, of_models, by_key, summary),
        "used_ever": first is not None,
    }
    return render(request, "tenants/usage/usage.html", context)


@require_safe
@members_only
def usage_day(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Each record of one day, oldest first."""
    identity.require("usage:read")
    day, chosen = _asked_day(request), UsageFilter.read(request.GET.dict())
    after = place_of(request.GET.get("after", ""))
    asked = _of_days(day, day + timedelta(days=1), chosen.of_mode)
    with unit_of_work(identity.tenant_id):
        found = records(asked, limit=RECORDS_AT_ONCE + 1, after=after)
        shown = found[:RECORDS_AT_ONCE]
        names = names_of_keys([str(record.key_id) for record in shown if record.key_id])
    context = {
        "day": day,
        "month": Month.of(day),
        "filter": chosen,
        "filter_words": _in_words(chosen, names),
        "records": record_rows(shown, names),
        "begun": after is not None,
        "next": written_place(shown[-1]) if len(found) > len(shown) else "",
    }
    return render(request, "tenants/usage/day.html", context)


@require_safe
@members_only
def usage_csv(request: HttpRequest, identity: Identity) -> HttpResponseBase:
    """`day`: its records; else the month's sums by day, all told apart; with `records`, the month's records."""
    identity.require("usage:read")
    chosen = UsageFilter.read(request.GET.dict())
    if request.GET.get("day"):
        day = _asked_day(request)
        return usage_file(identity, _of_days(day, day + timedelta(days=1), chosen.of_mode), records=True)
    month = _asked_month(request)
    asked = _of_days(month.first, month.after_last, chosen.of_mode)
    return usage_file(identity, asked, records="records" in request.GET)


def _named(lines: Sequence[UsageLine], names: Mapping[str, str]) -> list[UsageLine]:
    return [replace(line, model=key_name(line.model, names)) for line in lines]


def _forecasts(month: Month, today: date, only: Only, first: date | None) -> Mapping[str, Forecast]:
    if first is None:
        return {}
    # What a filter leaves may have begun later, and is then as new as that.
    begun = first_day_used(only) if only != Only() else first
    since = min(month.first, today - timedelta(days=WINDOW_DAYS))
    found = {
        currency: forecast(month, today, by_day, begun)
        for currency, by_day in cost_by_day(since, today, only).items()
    }
    return {currency: one for currency, one in found.items() if one is not None}


def _of_days(first: date, after_last: date, only: Only) -> Asked:
    start, end = (datetime.combine(day, time(), UTC) for day in (first, after_last))
    return Asked(start, end, "day", GROUPS, only)


def _asked_month(request: HttpRequest) -> Month:
    """The current month unless another is named; none of the future."""
    current = Month.of(timezone.now().date())
    text = request.GET.get("month")
    month = Month.parse(text) if text else current
    if month is None or month > current:
        raise Http404(f"{text!r} is no month that has begun. Write it as year-month, such as {current}.")
    return month


def _asked_day(request: HttpRequest) -> date:
    today, text = timezone.now().date(), request.GET.get("day", "")
    try:
        day = date.fromisoformat(text) if text else today
    except ValueError:
        day = None
    if day is None or day > today or day.year < 2000:
        raise Http404(f"{text[:40]!r} is no day that has begun. Write it as year-month-day, such as {today}.")
    return day


def _in_words(chosen: UsageFilter, names: Mapping[str, str]) -> str:
    words = [chosen.model] if chosen.model else []
    if chosen.key:
        words.append(key_name(chosen.key, names))
    return ", ".join(words)
