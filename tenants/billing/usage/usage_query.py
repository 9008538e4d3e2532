"""A query about usage: its time range, its steps, the fields it groups by and the filters."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from uuid import UUID

from tenants.core.errors import InvalidRequest
from tenants.core.messages import one_of

Bucket = Literal["hour", "day", "month"]
Group = Literal["model", "key", "meter", "livemode", "cached"]
BUCKETS: tuple[Bucket, ...] = ("hour", "day", "month")
GROUPS: tuple[Group, ...] = ("model", "key", "meter", "livemode", "cached")
LONGEST_DAYS: Mapping[Bucket, int] = {"hour": 7, "day": 1100, "month": 1100}
"""The longest range per step. Hours are counted from single records, the other steps from the sums by day."""
MAX_NAMED = 50
NO_KEY = "none"
PARAMETERS = ("from", "to", "bucket", "group_by", "model", "key", "livemode")
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Only:
    """The filters of a query. An empty filter matches everything."""

    models: tuple[str, ...] = ()
    keys: tuple[UUID | None, ...] = ()
    """Ids of keys. None stands for usage by people and for usage from before keys were recorded."""
    livemode: bool | None = None


@dataclass(frozen=True)
class UsageQuery:
    start: datetime
    end: datetime
    """The end of the range, which is not included."""
    bucket: Bucket = "day"
    group_by: tuple[Group, ...] = ()
    only: Only = Only()


def parse_usage_query(parameters: Mapping[str, str], now: datetime) -> UsageQuery:
    """Parse the parameters. The default range is the current month. Raises InvalidRequest."""
    bucket = _bucket(parameters.get("bucket", "day"))
    tomorrow = _midnight(now.date() + _DAY)
    end = _moment("to", parameters["to"], bucket) if "to" in parameters else tomorrow
    start = _moment("from", parameters["from"], bucket) if "from" in parameters else _start(bucket, end, now)
    if start >= end:
        raise InvalidRequest(f"from={_written(start)} must be before to={_written(end)}, which is exclusive.")
    longest = LONGEST_DAYS[bucket]
    if end - start > longest * _DAY:
        raise InvalidRequest(
            f"{_written(start)} to {_written(end)} is {(end - start).days} days, but with bucket={bucket} at most "
            f"{longest} are allowed. Choose a shorter period{' or bucket=day' if bucket == 'hour' else ''}."
        )
    return UsageQuery(start, end, bucket, _group_by(parameters.get("group_by", "")), only(parameters))


def only(parameters: Mapping[str, str]) -> Only:
    models = _listed("model", parameters.get("model", ""))
    keys = tuple(_key(key) for key in _listed("key", parameters.get("key", "")))
    return Only(models, keys, _livemode(parameters.get("livemode", "")))


def _bucket(text: str) -> Bucket:
    if text not in BUCKETS:
        raise InvalidRequest(f"bucket={text[:20]!r} must be one of {', '.join(BUCKETS)}.")
    return text


def _start(bucket: Bucket, end: datetime, now: datetime) -> datetime:
    if bucket == "hour":
        return end - _DAY
    first = _midnight(now.date().replace(day=1))
    return first if first < end else _midnight((end - _DAY).date().replace(day=1))


def _moment(name: str, text: str, bucket: Bucket) -> datetime:
    """Parse a date, meaning its midnight, or a time. A time between two steps of the sums is refused."""
    try:
        moment = _midnight(date.fromisoformat(text)) if len(text) <= 10 else datetime.fromisoformat(text)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidRequest(
            f"{name}={text[:40]!r} is not a date or time. Use 2026-11-23 or 2026-11-23T14:00:00Z. In URLs, "
            "write the sign + as %2B."
        ) from None
    if not 2000 <= moment.year <= 2999:
        raise InvalidRequest(f"{name}={text[:40]!r} must be between the years 2000 and 2999.")
    if bucket == "hour" and (moment.minute or moment.second or moment.microsecond):
        raise InvalidRequest(f"{name}={text[:40]!r} must be a whole hour in UTC.")
    if bucket != "hour" and moment.timetz() != time(tzinfo=UTC):
        raise InvalidRequest(f"{name}={text[:40]!r} must be midnight in UTC. Or use bucket=hour.")
    return moment


def _group_by(text: str) -> tuple[Group, ...]:
    named = _listed("group_by", text)
    unknown = [name for name in named if name not in GROUPS]
    if unknown:
        raise InvalidRequest(f"Unknown value group_by={unknown[0][:20]!r}. Use {one_of(GROUPS)}.")
    return tuple(group for group in GROUPS if group in named)


def _listed(name: str, text: str) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if len(named) > MAX_NAMED:
        raise InvalidRequest(f"{name} has {len(named)} values, but at most {MAX_NAMED} are allowed.")
    if "\0" in text:
        raise InvalidRequest(f"{name} contains an invalid character.")
    return named


def _key(text: str) -> UUID | None:
    if text == NO_KEY:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise InvalidRequest(
            f"key={text[:40]!r} is not an ID of an API key. Use the ID on the page of the key, or {NO_KEY!r} for users."
        ) from None


def _livemode(text: str) -> bool | None:
    modes = {"": None, "true": True, "false": False}
    if text not in modes:
        raise InvalidRequest(f"livemode={text[:20]!r} must be true or false.")
    return modes[text]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%MZ}"
