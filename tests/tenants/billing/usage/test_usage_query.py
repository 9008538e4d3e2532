from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.billing.usage.usage_query import PARAMETERS, parse_usage_query
from tenants.core.errors import InvalidRequest

NOW = datetime(2026, 11, 23, 14, 30, tzinfo=UTC)
KEY = UUID(int=5)


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]


def test_the_month_to_the_end_of_today_is_told_unless_another_time_is_named() -> None:
    found = parse_usage_query({}, NOW)
    assert (found.start, found.end, found.bucket) == (at(2026, 11, 1), at(2026, 11, 24), "day")


@pytest.mark.parametrize(
    ("parameters", "start", "end"),
    [
        ({"from": "2026-01-01", "to": "2026-02-01"}, at(2026, 1, 1), at(2026, 2, 1)),
        ({"from": "2026-11-23T00:00:00Z"}, at(2026, 11, 23), at(2026, 11, 24)),
        ({"from": "2026-11-23T02:00:00+02:00"}, at(2026, 11, 23), at(2026, 11, 24)),
        ({"to": "2026-03-05"}, at(2026, 3, 1), at(2026, 3, 5)),
        ({"to": "2026-03-01"}, at(2026, 2, 1), at(2026, 3, 1)),
        ({"bucket": "hour"}, at(2026, 11, 23), at(2026, 11, 24)),
        (
            {"bucket": "hour", "from": "2026-11-22T05:00Z", "to": "2026-11-22T07:00"},
            at(2026, 11, 22, 5),
            at(2026, 11, 22, 7),
        ),
    ],
)
def test_times_are_days_or_moments_in_utc(parameters: dict[str, str], start: datetime, end: datetime) -> None:
    found = parse_usage_query(parameters, NOW)
    assert (found.start, found.end) == (start, end)


def test_filters_and_groups_are_read_once_each_and_in_one_order() -> None:
    found = parse_usage_query(
        {"group_by": "key, model,key", "model": "a,b", "key": f"none,{KEY}", "livemode": "true"}, NOW
    )
    assert found.group_by == ("model", "key")
    assert (found.only.models, found.only.keys, found.only.livemode) == (("a", "b"), (None, KEY), True)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"bucket": "week"}, "bucket='week' must be one of hour, day, month"),
        ({"from": "yesterday"}, "from='yesterday' is not a date or time. Use 2026-11-23"),
        ({"from": "2026-11-31"}, "is not a date"),
        ({"from": "2026-11-23T14:00:00 02:00"}, "%2B"),
        ({"from": "2026-11-22T05:00Z"}, "must be midnight in UTC. Or use bucket=hour"),
        ({"bucket": "hour", "from": "2026-11-23T05:30Z"}, "must be a whole hour"),
        ({"from": "2026-11-24"}, "must be before to="),
        ({"from": "2026-11-23", "to": "2026-11-22"}, "must be before"),
        ({"from": "1999-01-01"}, "between the years 2000 and 2999"),
        ({"from": "0001-01-01T00:00+14:00"}, "from="),
        ({"from": "2020-01-01"}, "at most 1100"),
        (
            {"bucket": "hour", "from": "2026-11-01"},
            "at most 7 are allowed. Choose a shorter period or bucket=day",
        ),
        ({"key": "maas_live_x"}, "is not an ID of an API key"),
        ({"livemode": "yes"}, "livemode='yes' must be true or false"),
        ({"model": "a\0b"}, "model contains an invalid character"),
        ({"model": ",".join(map(str, range(51)))}, "model has 51 values, but at most 50"),
    ],
)
def test_a_bad_question_is_refused_with_what_to_write(parameters: dict[str, str], words: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_usage_query(parameters, NOW)
    assert words in refused.value.detail


@given(st.dictionaries(st.sampled_from(PARAMETERS), st.text(max_size=30)))
def test_any_text_is_a_question_or_refused(parameters: dict[str, str]) -> None:
    try:
        found = parse_usage_query(parameters, NOW)
    except InvalidRequest:
        return
    assert found.start < found.end
