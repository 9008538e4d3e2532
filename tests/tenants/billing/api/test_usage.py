"""Tests of `/v1/usage`: exact sums of the caller's own usage, grouped as requested, in pages and as a file."""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from tenants.api.authentication import IDENTITY
from tenants.api_keys.services import create_key
from tenants.authentication.selectors import identify_key
from tenants.billing.api.usage import UsageExport, UsageList
from tenants.billing.usage.settling import settle_days
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tests.tenants.billing.usage.test_settling import record

Use = Callable[..., None]
MARCH = {"from": "2026-03-01", "to": "2026-04-01"}


def on(day: int, hour: int = 12, month: int = 3) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


@pytest.fixture
def use(tenant: CreatedTenant) -> Use:
    def record_all(*at: datetime, **fields: object) -> None:
        for one in at:
            record(tenant.tenant.id, at=one, **{"amount_micros": 3_000, **fields})

    return record_all


@pytest.fixture
def reader(tenant: CreatedTenant) -> Identity:
    with unit_of_work(tenant.tenant.id):
        key = create_key(tenant_id=tenant.tenant.id, name="Controlling", scopes=["usage:read"])
    return identify_key(key.text)


def ask(identity: Identity, view: Any = UsageList, **parameters: str) -> Response:
    request = APIRequestFactory().get("/v1/usage", parameters)
    request.META[IDENTITY] = identity
    answer: Response = view.as_view()(request)
    return answer


def told(identity: Identity, parameters: Mapping[str, str]) -> dict[str, Any]:
    answer = ask(identity, **parameters)
    assert answer.status_code == 200, answer.data
    data: dict[str, Any] = answer.data
    return data


def pages(identity: Identity, parameters: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    page = told(identity, parameters)
    yield page
    while page["has_more"]:
        page = told(identity, {**parameters, "cursor": page["next_cursor"]})
        yield page


def lines(identity: Identity, **parameters: str) -> list[dict[str, str]]:
    answer: Any = ask(identity, UsageExport, **parameters)
    assert answer.status_code == 200
    return list(csv.DictReader(b"".join(answer.streaming_content).decode().splitlines()))


def test_days_tell_quantities_by_meter_and_amounts_by_currency(reader: Identity, use: Use) -> None:
    use(on(3), on(3, 23))
    use(on(3), meter="token", quantity=40, amount_micros=500, currency="USD", model="embed")
    use(on(5), cached=True, amount_micros=300, saved_micros=2_700)
    data = told(reader, MARCH)
    first, second = data["data"]
    assert (first["from"], first["to"]) == ("2026-03-03T00:00:00Z", "2026-03-04T00:00:00Z")
    assert first["quantities"] == {"page": 4, "token": 40}
    assert (first["records"], first["records_cached"]) == (3, 0)
    assert [(one["currency"], one["amount_micros"], one["amount"]) for one in first["amounts"]] == [
        ("EUR", 6_000, "0.006"),
        ("USD", 500, "0.0005"),
    ]
    assert (second["amounts"][0]["saved"], second["records_cached"]) == ("0.0027", 1)
    (total,) = data["totals"]
    assert (total["livemode"], total["quantities"], total["records"]) == (True, {"page": 6, "token": 40}, 4)
    amounts = [(one["amount_micros"], one["saved_micros"]) for one in total["amounts"]]
    assert amounts == [(6_300, 2_700), (500, 0)]


@pytest.mark.parametrize("bucket", ["day", "month"])
@pytest.mark.parametrize("groups", ["", "model", "key", "meter,livemode", "model,key,meter,livemode,cached"])
def test_answers_are_the_same_while_some_days_are_settled_and_some_are_not(
    reader: Identity, use: Use, tenant: CreatedTenant, bucket: str, groups: str
) -> None:
    def use_all(day: int) -> None:
        use(on(day), key_id=tenant.key.key.id)
        key_id = None if "key" in groups else uuid4()
        use(on(day), on(day, 23), key_id=key_id, cached=True, saved_micros=70)
        use(on(day), model="ocr", livemode=False, amount_micros=0)
        use(on(day), meter="token", quantity=40, currency="USD", model="embed")

    asked = {**MARCH, "bucket": bucket, "group_by": groups}
    for day in (3, 4):
        use_all(day)
    settled_later = told(reader, asked)
    settle_days()
    assert told(reader, asked) == settled_later
    use_all(4)
    while_late = told(reader, asked)
    settle_days()
    assert told(reader, asked) == while_late != settled_later


@pytest.mark.parametrize("groups", ["key", "model,key"])
@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("2026-01-01", "2026-07-01"),
        ("2026-01-10", "2026-03-20"),
        ("2026-03-02", "2026-03-30"),
        ("2026-02-05", None),
    ],
)
def test_months_of_keys_are_the_sums_of_their_days_whatever_part_of_them_is_asked_for(
    reader: Identity, use: Use, first: str, last: str | None, groups: str
) -> None:
    keys = [uuid4(), uuid4(), None]
    moments = [on(day, month=month) for month in range(1, 7) for day in (1, 9, 10, 20, 28)]
    for place, at in enumerate([*moments, timezone.now()]):
        use(at, key_id=keys[place % 3], model=("parse", "ocr")[place % 2], quantity=1 + place)
    settle_days()
    use(*moments[::3], key_id=keys[0], quantity=1000)
    asked = {"from": first, "group_by": groups, "limit": "1000"} | ({"to": last} if last else {})
    by_day, by_month = told(reader, asked), told(reader, {**asked, "bucket": "month"})

    def sums(data: Mapping[str, Any]) -> Mapping[tuple[str, ...], int]:
        found: Counter[tuple[str, ...]] = Counter()
        for row in data["data"]:
            group = row["from"][:7], row["key"]["id"] if row["key"] else "", row.get("model", "")
            found[group] += row["quantities"]["page"]
        return found

    assert sums(by_day) == sums(by_month) != {}
    assert by_day["totals"] == by_month["totals"]
    of_one = {**asked, "key": str(keys[0])}
    assert told(reader, of_one)["totals"] == told(reader, {**of_one, "bucket": "month"})["totals"]
    (total,) = told(reader, of_one)["totals"]
    assert total["quantities"]["page"] == sum(
        number for (_, key, _), number in sums(by_day).items() if key == str(keys[0])
    )


def test_pages_of_a_long_list_by_day_follow_on_one_another(reader: Identity, use: Use) -> None:
    keys = sorted([str(uuid4()) for _ in range(2)])
    days = [on(1, month=1) + timedelta(days=n) for n in range(0, 150, 7)]
    for key in keys:
        use(*days, key_id=UUID(key))
    asked = {"from": "2026-01-01", "to": "2026-07-01", "group_by": "key", "limit": "5"}
    seen = [(row["from"][:10], row["key"]["id"]) for page in pages(reader, asked) for row in page["data"]]
    assert seen == [(f"{day:%Y-%m-%d}", key) for day in days for key in keys]


def test_any_groups_tell_apart_what_was_asked_for_and_nothing_else(
    reader: Identity, use: Use, tenant: CreatedTenant
) -> None:
    key = tenant.key.key
    use(on(3), on(4), key_id=key.id)
    use(on(3), model="ocr", livemode=False, amount_micros=0)
    data = told(reader, {**MARCH, "bucket": "month", "group_by": "key,livemode"})
    assert [(row["key"], row["livemode"], row["quantities"]) for row in data["data"]] == [
        (None, False, {"page": 2}),
        ({"id": str(key.id), "name": key.name, "prefix": key.prefix}, True, {"page": 4}),
    ]
    data = told(reader, {**MARCH, "bucket": "month", "group_by": "model,meter,cached"})
    assert [(row["model"], row["meter"], row["cached"]) for row in data["data"]] == [
        ("ocr", "page", False),
        ("parse", "page", False),
    ]


def test_hours_are_those_of_the_records(reader: Identity, use: Use) -> None:
    use(on(3, 5), on(3, 5), on(3, 7), on(4, 0))
    use(on(3, 7), source_kind="cache", amount_micros=1)
    asked = {"bucket": "hour", "from": "2026-03-03T05:00:00Z", "to": "2026-03-04", "group_by": "cached"}
    data = told(reader, asked)
    assert [(row["from"][11:13], row["cached"], row["records"]) for row in data["data"]] == [
        ("05", False, 2),
        ("07", False, 1),
        ("07", True, 1),
    ]


@pytest.mark.parametrize("bucket", ["day", "month"])
@pytest.mark.parametrize("group_by", ["", "model", "model,key,meter,livemode,cached"])
def test_pages_of_the_list_come_to_the_whole_and_its_totals(
    reader: Identity, use: Use, bucket: str, group_by: str
) -> None:
    keys = (None, uuid4(), uuid4())
    for place, model in enumerate(("a", "B", "ä", "a,b")):
        for month in (1, 2, 3):
            use(on(3 + place, month=month), on(9, month=month), model=model, key_id=keys[place % 3])
    asked = {"from": "2026-01-04", "to": "2026-04-01", "bucket": bucket, "group_by": group_by}
    whole = told(reader, {**asked, "limit": "1000"})
    found = list(pages(reader, {**asked, "limit": "2"}))
    assert all(page["totals"] == whole["totals"] for page in found)
    read = [row for page in found for row in page["data"]]
    assert read == whole["data"]
    assert sum(row["records"] for row in read) == whole["totals"][0]["records"] == 23


def test_filters_narrow_rows_and_totals_alike(reader: Identity, use: Use) -> None:
    key = uuid4()
    use(on(3), key_id=key)
    use(on(3), model="ocr")
    use(on(3), livemode=False)
    for narrowed, records in (
        ({"key": str(key)}, 1),
        ({"key": "none"}, 2),
        ({"key": f"none,{key}"}, 3),
        ({"model": "ocr,embed"}, 1),
        ({"livemode": "false"}, 1),
        ({"model": "nothing"}, 0),
    ):
        data = told(reader, {**MARCH, **narrowed})
        assert sum(row["records"] for row in data["data"]) == records, narrowed
        assert sum(row["records"] for row in data["totals"]) == records, narrowed


def test_bad_questions_are_refused_in_words(reader: Identity) -> None:
    for parameters, code in (
        ({"from": "soon"}, "invalid_request"),
        ({"limit": "0"}, "invalid_request"),
        ({"grup_by": "model"}, "invalid_request"),
        ({"cursor": "x"}, "invalid_cursor"),
        ({"cursor": "é\0"}, "invalid_cursor"),
    ):
        answer = ask(reader, **parameters)
        assert (answer.status_code, answer.data["code"]) == (400, code)
    assert ask(reader, UsageExport, rows="all").status_code == 400


def test_a_cursor_of_another_question_is_refused(reader: Identity, use: Use) -> None:
    use(on(3), on(4), on(5))
    cursor = told(reader, {**MARCH, "limit": "1"})["next_cursor"]
    for other in ({"group_by": "model"}, {"bucket": "month"}, {"to": "2026-03-03"}):
        assert ask(reader, **{**MARCH, **other, "cursor": cursor}).data["code"] == "invalid_cursor"


def test_only_a_key_that_was_given_the_scope_may_ask(working_identity: Identity) -> None:
    answer = ask(working_identity)
    assert (answer.status_code, answer.data["code"]) == (403, "insufficient_scope")
    assert ask(working_identity, UsageExport).status_code == 403


def test_another_tenants_usage_is_in_no_sum_and_no_file(other_tenant: CreatedTenant, use: Use) -> None:
    use(on(3), key_id=uuid4())
    with unit_of_work(other_tenant.tenant.id):
        key = create_key(tenant_id=other_tenant.tenant.id, name="Other", scopes=["usage:read"])
    other = identify_key(key.text)
    assert told(other, MARCH)["data"] == told(other, MARCH)["totals"] == []
    assert lines(other, **MARCH) == lines(other, rows="records", **MARCH) == []


def test_a_file_of_sums_comes_to_the_same_and_holds_no_formula(reader: Identity, use: Use) -> None:
    use(on(3), model='=HYPERLINK("http://x")', amount_micros=1_500, cached=True, saved_micros=-20)
    use(on(3), meter="token", quantity=7, amount_micros=9, currency="USD")
    rows = lines(reader, group_by="model", **MARCH)
    assert [row["model"] for row in rows] == ['\'=HYPERLINK("http://x")', "parse"]
    assert [(row["pages"], row["tokens"], row["currency"], row["amount"]) for row in rows] == [
        ("2", "0", "EUR", "0.0015"),
        ("0", "7", "USD", "0.000009"),
    ]
    assert (rows[0]["saved_micros"], rows[0]["saved"], rows[0]["records_cached"]) == ("-20", "-0.00002", "1")


def test_a_file_of_records_has_each_of_them_once_however_many_parts_it_takes(
    reader: Identity, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenants.billing.usage.csv_rows.AT_ONCE", 2)
    use(*[on(3)] * 5, on(4), key_id=uuid4())
    use(on(5), source_kind="cache")
    rows = lines(reader, rows="records", **MARCH)
    assert len({row["id"] for row in rows}) == len(rows) == 7
    assert [row["at"][:10] for row in rows] == ["2026-03-03"] * 5 + ["2026-03-04", "2026-03-05"]
    assert (rows[-1]["cached"], rows[0]["cached"], rows[-1]["key_id"]) == ("true", "false", "")


def test_the_list_asks_the_database_as_often_whatever_was_used(reader: Identity, use: Use) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connections[APP]) as captured:
            told(reader, {**MARCH, "group_by": "model,key"})
        return len([one for one in captured if "tenants_" in one["sql"]])

    use(on(3), key_id=uuid4())
    few = queries()
    use(*(on(day) for day in range(1, 20)), key_id=uuid4())
    assert queries() == few == 3, "the rows, the keys' names, the totals"
