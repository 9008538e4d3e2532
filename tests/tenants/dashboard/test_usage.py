"""Tests of usage on the dashboard: sums by day and model, separate for each currency and mode."""

import csv
import html
import json
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tenants.accounts.models import Tenant
from tenants.billing.dashboard.usage.chart import chart_of
from tenants.billing.dashboard.usage.limit_rows import limit_rows, rows_of_counted
from tenants.billing.usage.models import UsageDay, UsageRecord
from tenants.billing.usage.selectors import cost_by_day, usage_of, usage_of_keys
from tenants.billing.usage.settling import settle_days
from tenants.billing.usage.summary import summarized
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.core.months import Month
from tenants.limits.models import ModelLimit
from tenants.limits.quota.counted import CountedLimit
from tenants.limits.rates.limits import Limit
from tenants.onboarding.create_tenant import CreatedTenant

OCTOBER = Month(2026, 10)
Use = Callable[..., None]


@pytest.fixture
def use(tenant: CreatedTenant) -> Use:
    """Return a function that writes records as they are written when work ends."""

    def record(*at: datetime, **fields: object) -> None:
        values: dict[str, object] = {
            "model": "parse",
            "meter": "page",
            "quantity": 2,
            "amount_micros": 3_000,
            "currency": "EUR",
        }
        values |= {"source_kind": "page", **fields}
        with unit_of_work(tenant.tenant.id):
            UsageRecord.objects.bulk_create(
                UsageRecord(
                    tenant_id=tenant.tenant.id,
                    source_id=uuid7(),
                    version=1,
                    price={},
                    created_at=one,
                    **values,
                )
                for one in at
            )

    return record


def on(day: int, hour: int = 12, minute: int = 0) -> datetime:
    return datetime(2026, 10, day, hour, minute, tzinfo=UTC)


def shown(client: Client, month: Month = OCTOBER) -> str:
    answer = client.get("/usage", {"month": str(month)})
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_day_is_a_day_in_utc(tenant: CreatedTenant, use: Use) -> None:
    use(on(1, 0), on(1, 23, 59), on(2, 0))
    with unit_of_work(tenant.tenant.id):
        lines = usage_of(OCTOBER)
    assert [(line.day.day, line.quantity, line.records) for line in lines] == [(1, 4, 2), (2, 2, 1)]


def test_sums_are_those_of_the_records_however_they_are_written(tenant: CreatedTenant, use: Use) -> None:
    for _ in range(3):
        use(on(5), on(5), model="ocr")
    use(on(5), model="embed", meter="token", quantity=40)
    with unit_of_work(tenant.tenant.id):
        lines = {line.model: line for line in usage_of(OCTOBER)}
        assert (lines["ocr"].quantity, lines["ocr"].amount_micros) == (12, 18_000)
        assert (lines["embed"].meter, lines["embed"].quantity) == ("token", 40)
        assert sum(UsageDay.objects.values_list("records", flat=True)) == UsageRecord.objects.count()


def test_a_record_that_is_rolled_back_is_in_no_sum(tenant: CreatedTenant, use: Use) -> None:
    with suppress(ZeroDivisionError), unit_of_work(tenant.tenant.id):
        use(on(5))
        raise ZeroDivisionError
    with unit_of_work(tenant.tenant.id):
        assert usage_of(OCTOBER) == []


def test_a_month_begins_and_ends_where_it_does(tenant: CreatedTenant, use: Use) -> None:
    use(datetime(2026, 9, 30, 23, 59, 59, tzinfo=UTC), on(1, 0), on(31, 23), datetime(2026, 11, 1, tzinfo=UTC))
    with unit_of_work(tenant.tenant.id):
        assert [line.day.day for line in usage_of(OCTOBER)] == [1, 31]


def test_the_page_tells_totals_models_and_days(member: Client, use: Use) -> None:
    use(on(3), on(4), model="parse", amount_micros=1_500_000)
    use(on(4), model="embed", meter="token", quantity=1_234, amount_micros=500_000)
    page = shown(member)
    assert all(words in page for words in ("3.50", "1,234", ">4 Oct 2026<", "parse", "embed", "UTC"))
    assert 'id="chart"' in page
    assert "/static/unfold/" not in page, "the files of the admin's theme are its own"


def test_currencies_are_never_added_up(member: Client, use: Use) -> None:
    use(on(3), amount_micros=1_000_000, currency="EUR")
    use(on(3), amount_micros=2_000_000, currency="USD")
    page = shown(member)
    assert "1.00 € + 2.00 $" in page
    assert "3.00" not in page


def test_what_was_a_test_stands_apart(member: Client, use: Use) -> None:
    use(on(3), quantity=7, amount_micros=0, livemode=False)
    page = shown(member)
    assert "No charges in October 2026" in page
    assert "7 pages" in page


def test_an_empty_account_is_told_what_will_be_here(member: Client) -> None:
    page = member.get("/usage").content.decode()
    assert "After your first page is processed" in page
    assert 'id="chart"' not in page


def test_months_can_be_paged_through_as_far_as_there_are_any(member: Client, use: Use) -> None:
    use(on(3))
    assert "month=2026-09" not in shown(member)
    assert "month=2026-11" in shown(member)
    assert "month=2026-10" in shown(member, Month(2026, 11))


@pytest.mark.parametrize("month", ["2026-13", "october", "2999-01", "2026-1", "2026-10'"])
def test_a_month_that_is_none_is_refused_in_words(member: Client, month: str) -> None:
    answer = member.get("/usage", {"month": month})
    assert answer.status_code == 404
    assert "Enter a past month as YYYY-MM" in answer.content.decode()


def downloaded(client: Client, **parameters: str) -> list[dict[str, str]]:
    answer = client.get("/usage.csv", parameters)
    assert answer.status_code == 200
    return list(csv.DictReader(answer.getvalue().decode().splitlines()))


def test_lines_for_a_spreadsheet(member: Client, use: Use) -> None:
    use(on(3), on(3), amount_micros=1_500, cached=True, saved_micros=500)
    answer = member.get("/usage.csv", {"month": "2026-10"})
    assert answer["Content-Disposition"] == 'attachment; filename="usage-2026-10-01-to-2026-11-01.csv"'
    (row,) = downloaded(member, month="2026-10")
    assert (row["from"], row["model"], row["mode"], row["cached"]) == (
        "2026-10-03T00:00:00Z",
        "parse",
        "live",
        "true",
    )
    assert (row["pages"], row["records"], row["amount"], row["saved"]) == ("4", "2", "0.003", "0.001")


def test_records_for_a_spreadsheet_are_those_of_the_month_or_the_day_and_fit_the_filter(
    member: Client, use: Use
) -> None:
    use(on(3), on(3), on(4))
    use(on(3), model="ocr", livemode=False)
    assert len(downloaded(member, month="2026-10", records="")) == 4
    assert len(downloaded(member, day="2026-10-03")) == 3
    assert len(downloaded(member, day="2026-10-03", model="parse")) == 2
    assert len(downloaded(member, day="2026-10-03", mode="test")) == 1


def test_a_month_is_shown_by_key_and_of_one_key_alone(member: Client, tenant: CreatedTenant, use: Use) -> None:
    key = tenant.key.key
    use(on(3), key_id=key.id, amount_micros=1_000_000)
    use(on(3), amount_micros=2_000_000, model="ocr")
    page = shown(member)
    assert all(words in page for words in ("By key", key.name, "Without a key", "3.00"))
    assert all(f"month=2026-10&amp;{of}" in page for of in (f"key={key.id}", "key=none", "model=ocr")), "each opens"
    page = member.get("/usage", {"month": "2026-10", "key": str(key.id)}).content.decode()
    assert "1.00 €" in page
    assert "2.00 €" not in page
    assert f"month=2026-11&amp;key={key.id}" in page, "the filter goes along"
    page = member.get("/usage", {"month": "2026-10", "key": "none", "model": "parse"}).content.decode()
    assert "No charges in October 2026 that match the filter" in page


def test_a_month_looks_the_same_before_and_after_its_days_are_settled(
    member: Client, tenant: CreatedTenant, use: Use
) -> None:
    for key, cost in ((tenant.key.key.id, 1_000_000), (None, 2_000_000), (uuid7(), 500)):
        use(on(3), on(4), on(31), key_id=key, amount_micros=cost)
        use(on(4), key_id=key, model="ocr", cached=True, saved_micros=7, amount_micros=0)
    before = [shown(member), member.get("/usage", {"month": "2026-10", "model": "ocr"}).content.decode()]
    settle_days()
    use(on(5), livemode=False)
    between = shown(member)
    settle_days()
    after = [shown(member), member.get("/usage", {"month": "2026-10", "model": "ocr"}).content.decode()]
    assert between.partition("<main")[2] == after[0].partition("<main")[2]
    assert _drawn(before[0]) == _drawn(after[0])
    assert _drawn(before[1]) == _drawn(after[1])
    assert "9.0015" in after[0]


def test_a_year_is_told_month_by_month_and_each_month_opens(
    member: Client, tenant: CreatedTenant, use: Use, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    now = timezone.now()
    month, before = Month.of(now.date()), Month.of(now.date()).previous
    noon = datetime(before.year, before.number, 10, 12, tzinfo=UTC)
    key = tenant.key.key.id
    use(noon, noon + timedelta(days=9), key_id=key, amount_micros=1_000_000)
    use(noon, model="ocr", amount_micros=500_000)
    settle_days()
    use(noon, key_id=key, amount_micros=250_000)
    use(now, amount_micros=3_000_000)
    use(noon - timedelta(days=400), amount_micros=70_000_000)
    with django_assert_num_queries(12):
        page = member.get("/usage", {"months": "12"}).content.decode()
    assert "5.75 <small>€" in " ".join(page.split()), "and nothing of the year before"
    chart = json.loads(_drawn(page))
    assert len(chart["days"]) == 12
    assert (chart["days"][-2], chart["days"][-1]) == (f"{before}-01", f"{month}-01")
    for of, expected in (("model", {"parse": [2.25, 3.0], "ocr": [0.5, 0.0]}), ("key", None)):
        series = next(one for one in chart["measures"][of] if one["name"] == "cost-EUR")["series"]
        found = {one["name"]: one["values"][-2:] for one in series}
        assert found in (expected, {tenant.key.key.name: [2.25, 0.0], "Without a key": [0.5, 3.0]})
    assert all(f'href="?month={one}" data-at="{one}-01"' in page for one in (before, month))
    assert f"?months=12&amp;key={key}" in page
    (row,) = downloaded(member, months="12", model="ocr")
    assert (row["from"][:7], row["amount"]) == (str(before), "0.50")
    of_key = " ".join(member.get("/usage", {"months": "12", "key": str(key)}).content.decode().split())
    assert "2.25 <small>€" in of_key


def test_no_look_at_a_month_misses_what_is_settled_meanwhile(tenant: CreatedTenant, use: Use) -> None:
    """The page is read in one statement. With two statements, a sum that moved in between would be in neither, or in
    both.
    """
    done = threading.Event()

    def settle() -> None:
        try:
            while not done.is_set():
                settle_days()
        finally:
            connections.close_all()

    beside = threading.Thread(target=settle)
    beside.start()
    try:
        for number in range(1, 101):
            use(on(3), key_id=uuid7())
            with unit_of_work(tenant.tenant.id):
                for lines in (usage_of(OCTOBER), usage_of_keys(OCTOBER)):
                    assert sum(line.quantity for line in lines) == 2 * number
                assert sum(cost_by_day(OCTOBER.first, OCTOBER.days[-1])["EUR"].values()) == 3_000 * number
    finally:
        done.set()
        beside.join()


def _drawn(page: str) -> str:
    (chart,) = re.findall(r'<script id="chart-data"[^>]*>(.*?)</script>', page)
    return str(chart)


def test_of_many_callers_the_dearest_are_named_and_the_others_come_to_the_rest(member: Client, use: Use) -> None:
    for number in range(1, 61):
        use(on(3), on(4), key_id=uuid7(), amount_micros=number * 1_000_000)
    page = shown(member)
    rows = re.findall(r'<th scope="row">(?:<a[^>]+>)?(Key [^<]+|10 other callers)<', page)
    assert (len(rows), rows[-1]) == (51, "10 other callers")
    assert "110.00 €" in page, "1 to 10, twice"
    series = next(one for one in json.loads(_drawn(page))["measures"]["key"] if one["name"] == "cost-EUR")["series"]
    assert (len(series), series[-1]["name"]) == (6, "other callers")
    assert sum(sum(one["values"]) for one in series) == 2 * sum(range(1, 61))
    assert sum(series[-1]["values"]) == 2 * sum(range(1, 56))


def test_a_filter_that_is_none_shows_all(member: Client, use: Use) -> None:
    use(on(3))
    for bad in ({"key": "'"}, {"model": "\0"}, {"mode": "x"}):
        assert "0.003" in member.get("/usage", {"month": "2026-10", **bad}).content.decode()


def test_tests_alone_are_shown_where_they_are_chosen(member: Client, use: Use) -> None:
    use(on(3), quantity=7, amount_micros=0, livemode=False)
    use(on(3), quantity=40)
    page = member.get("/usage", {"month": "2026-10", "mode": "test"}).content.decode()
    assert "By model" in page
    assert "<dd>7</dd>" in page
    assert "<dd>40</dd>" not in page


def test_what_the_cache_answered_and_saved_is_told(member: Client, use: Use) -> None:
    use(on(3), on(4), on(5))
    use(on(3), cached=True, amount_micros=300_000, saved_micros=2_700_000)
    page = shown(member)
    assert "25 %" in page
    assert "saved 2.70 €" in page


def test_a_forecast_stands_there_once_seven_days_are_over(member: Client, use: Use) -> None:
    noon = timezone.now().replace(hour=12, minute=0, second=0)
    today = [noon] if noon < timezone.now() else []
    use(*today, *(noon - timedelta(days=n) for n in range(1, 4)), amount_micros=2_000_000)
    assert "Available after 7 days" in member.get("/usage").content.decode()
    use(*(noon - timedelta(days=n) for n in range(4, 29)), amount_micros=2_000_000)
    page = " ".join(member.get("/usage").content.decode().split())
    days = len(Month.of(noon.date()).days)
    assert f"<small>about</small> {2 * days:,.2f}" in page
    assert "from the last 28 days" in page


def test_a_day_lists_its_records_with_what_they_were_for(member: Client, tenant: CreatedTenant, use: Use) -> None:
    use(on(3, 9), key_id=tenant.key.key.id)
    use(on(3, 10), source_kind="cache", cached=True, amount_micros=300, saved_micros=2_700)
    use(on(3, 11), source_kind="call", meter="token", quantity=1, model="embed")
    use(on(4, 0))
    page = " ".join(member.get("/usage/day", {"day": "2026-10-03"}).content.decode().split())
    assert "3 Oct 2026" in page
    assert page.count("<time ") == 3
    saved = 'saved <span title="0.0027 €">&lt; 0.01 €</span>'
    said = ("09:00:00", tenant.key.key.name, saved, "1 token<", "embed@1", "/jobs/of-page?id=")
    assert all(words in page for words in said)
    assert "No usage on this day" in member.get("/usage/day", {"day": "2026-10-09"}).content.decode()


def test_a_long_day_is_read_on_page_by_page(member: Client, use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenants.billing.dashboard.usage.views.RECORDS_AT_ONCE", 2)
    use(*[on(3)] * 5)
    address, seen = "/usage/day?day=2026-10-03", 0
    for _ in range(3):
        page = member.get(address).content.decode()
        seen += page.count("<time ")
        further = re.search(r'id="further" href="([^"]+)"', page)
        address = "/usage/day" + html.unescape(further[1]) if further else ""
    assert (seen, address) == (5, "")


@pytest.mark.parametrize("day", ["2999-01-01", "yesterday", "2026-10-32", "0001-01-01"])
def test_a_day_that_is_none_is_refused_in_words(member: Client, day: str) -> None:
    answer = member.get("/usage/day", {"day": day})
    assert answer.status_code == 404
    assert "Enter a past day as YYYY-MM-DD" in answer.content.decode()


def test_another_tenants_usage_is_nowhere(stranger: Client, use: Use) -> None:
    use(on(3), model="secret-model")
    assert "secret-model" not in shown(stranger)
    assert downloaded(stranger, month="2026-10") == downloaded(stranger, day="2026-10-03") == []
    assert "secret-model" not in stranger.get("/usage/day", {"day": "2026-10-03"}).content.decode()


def test_the_page_asks_as_often_whatever_was_used(
    member: Client, use: Use, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for model in ("a", "b", "c"):
        use(*(on(day) for day in range(1, 32)), model=model, key_id=uuid7())
    # The queries are: session, person, accounts; transaction, sums by model and by key, days of the keys that are
    # drawn, first day, what is stored and may be, names, commit.
    with django_assert_num_queries(12):
        shown(member)
    # The queries are: the same three, then transaction, records, names, commit.
    with django_assert_num_queries(7):
        member.get("/usage/day", {"day": "2026-10-03"})


def test_the_limits_that_hold_are_told_with_what_is_left_of_them(member: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(pages_per_minute=40)
        ModelLimit.objects.create(tenant=tenant.tenant, model="embed", calls_at_once=3)
    said = " ".join(member.get("/usage").content.decode().split())
    assert 'Pages per minute</th><td data-label="For">All models' in said
    assert 'data-label="Maximum">40</td><td class="number" data-label="Remaining">40<' in said
    assert 'Concurrent calls</th><td data-label="For">embed' in said
    assert "Pages per minute" not in shown(member), "a month that is over has none"


def test_the_models_that_an_account_may_have_are_shown_with_their_size(member: Client, tenant: CreatedTenant) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(own_models=3, own_model_mb=7)
    page = " ".join(member.get("/usage").content.decode().split())
    assert 'Models of your own</th><td data-label="For">This account' in page
    assert 'data-label="Maximum">3</td><td class="number" data-label="Remaining">3<' in page
    assert 'data-label="Maximum">7 MB</td><td class="number" data-label="Remaining">–<' in page
    assert "Models of your own" not in shown(member), "a month that is over has no limits"


def test_an_account_that_may_have_no_models_sees_a_zero() -> None:
    (row,) = rows_of_counted([CountedLimit("own_models", "Models of your own", 0, 0)])
    assert (row.amount, row.left, row.left_percent) == ("0", "0", 0)


def test_what_is_left_is_said_to_be_unknown_where_nobody_can_tell() -> None:
    (row,) = limit_rows([Limit("tenant", "pages", 40, "t", "key")], None)
    assert (row.amount, row.left) == ("40", "")


def test_time_is_shown_in_seconds(tenant: CreatedTenant, member: Client, use: Use) -> None:
    use(on(3), meter="gpu_second", quantity=1_234_500, model="timed")
    page = shown(member)
    assert "GPU seconds" in page
    assert "1,234.5" in page
    day = " ".join(member.get("/usage/day", {"day": "2026-10-03"}).content.decode().split())
    assert "1,234.5 GPU seconds" in day
    with unit_of_work(tenant.tenant.id):
        lines = usage_of(OCTOBER)
    measures = chart_of(OCTOBER.days, lines, [], summarized(lines))["measures"]["model"]
    (drawn,) = (one["series"] for one in measures if one["name"] == "gpu_second")
    assert sum(drawn[0]["values"]) == 1_234.5


def test_the_file_has_a_column_of_milliseconds(member: Client, use: Use) -> None:
    use(on(3), meter="gpu_second", quantity=1_234, model="timed")
    answer = member.get("/usage.csv", {"month": "2026-10"})
    (line,) = csv.DictReader(b"".join(answer).decode().splitlines())
    assert (line["gpu_milliseconds"], line["pages"]) == ("1234", "0")
