"""The time range and the filters of the usage page, as its URL states them and as its form offers them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, time
from urllib.parse import urlencode

from django.http import Http404

from tenants.billing.usage.selectors import (
    Used,
    days_of_keys,
    months_of_keys,
    months_of_models,
    usage_of,
    usage_of_keys,
)
from tenants.billing.usage.summary import UsageLine
from tenants.billing.usage.usage_query import GROUPS, NO_KEY, Only, UsageQuery, only
from tenants.core.errors import InvalidRequest
from tenants.core.months import Month

TEST = "test"
NOBODYS = "Without a key"
"""The label of usage without a key: usage by people on the dashboard, and usage from before keys were recorded."""


@dataclass(frozen=True)
class Option:
    value: str
    title: str
    chosen: bool


@dataclass(frozen=True)
class UsageFilter:
    model: str = ""
    key: str = ""
    """The id of a key, or `none` for usage without a key."""
    mode: str = ""
    """The mode: `test` for test usage only."""

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> "UsageFilter":
        """Read the filter. An invalid filter is ignored, so an old URL shows everything."""
        mode = TEST if parameters.get("mode") == TEST else ""
        found = cls(parameters.get("model", "")[:100], parameters.get("key", "")[:36], mode)
        try:
            only({"key": found.key, "model": found.model})
        except InvalidRequest:
            return cls()
        return found

    @property
    def only(self) -> Only:
        keys = only({"key": self.key}).keys
        return Only((self.model,) if self.model else (), keys)

    @property
    def of_mode(self) -> Only:
        """Return the filter for test usage only if that was chosen, and for both modes otherwise."""
        return self.only if self.livemode else replace(self.only, livemode=False)

    @property
    def livemode(self) -> bool:
        return self.mode != TEST

    @property
    def narrows(self) -> bool:
        return self != UsageFilter()

    @property
    def query(self) -> str:
        """Return the filter as a query string that follows another parameter of a URL."""
        chosen = {name: value for name, value in asdict(self).items() if value}
        return f"&{urlencode(chosen)}" if chosen else ""

    def of_model(self, model: str) -> tuple[str, str]:
        """Return the model's name, and the query string for this model alone."""
        return model, replace(self, model=model).query

    def of_key(self, key: str, names: Mapping[str, str]) -> tuple[str, str]:
        return key_name(key, names), replace(self, key=key or NO_KEY).query

    def models(self, used: Used) -> Sequence[Option]:
        names = sorted({*used.models, *([self.model] if self.model else [])})
        return [Option("", "All models", not self.model), *(Option(n, n, n == self.model) for n in names)]

    def keys(self, used: Used, names: Mapping[str, str]) -> Sequence[Option]:
        """Return the options for the key. `names` holds the keys' names by id."""
        ids = {key or NO_KEY for key in used.keys} | ({self.key} if self.key else set())
        named = [Option(key_id, key_name(key_id, names), key_id == self.key) for key_id in ids]
        return [
            Option("", "All callers", not self.key),
            *sorted(named, key=lambda option: option.title.lower()),
        ]


def key_name(key: str, names: Mapping[str, str]) -> str:
    return NOBODYS if key in ("", NO_KEY) else names.get(key, f"Key {key}")


YEAR = "12"


@dataclass(frozen=True)
class Stretch:
    month: Month
    """The last month of the range."""
    is_year: bool = False

    @classmethod
    def read(cls, parameters: Mapping[str, str], today: date) -> "Stretch":
        """Read the range: the named month, which must have begun, the current one, or the year that ends with it."""
        current, text = Month.of(today), parameters.get("month", "")
        if parameters.get("months") == YEAR:
            return cls(current, is_year=True)
        month = Month.parse(text) if text else current
        if month is None or month > current:
            raise Http404(f"No usage for the month {text!r}. Enter a past month as YYYY-MM, for example {current}.")
        return cls(month)

    @property
    def since(self) -> Month:
        return Month(self.month.next.year - 1, self.month.next.number) if self.is_year else self.month

    @property
    def days(self) -> Sequence[date]:
        """Return the steps of the range: days, or the first days of months."""
        if not self.is_year:
            return self.month.days
        months = [self.since]
        while months[-1] < self.month:
            months.append(months[-1].next)
        return [month.first for month in months]

    @property
    def query(self) -> str:
        return f"months={YEAR}" if self.is_year else f"month={self.month}"

    @property
    def title(self) -> str:
        return f"{self.since.title} to {self.month.title}" if self.is_year else self.month.title

    def by_model(self, only: Only) -> list[UsageLine]:
        return months_of_models(self.since, self.month, only) if self.is_year else usage_of(self.month, only)

    def of_keys(self, only: Only) -> list[UsageLine]:
        return usage_of_keys(self.month, only, since=self.since)

    def by_key(self, keys: set[str], only: Only) -> list[UsageLine]:
        if self.is_year:
            return months_of_keys(self.since, self.month, keys, only)
        return days_of_keys(self.month, keys, only)

    def as_query(self, only: Only) -> UsageQuery:
        """Return the query for the file, grouped by all fields."""
        start, end = (datetime.combine(day, time(), UTC) for day in (self.since.first, self.month.after_last))
        return UsageQuery(start, end, "month" if self.is_year else "day", GROUPS, only)
