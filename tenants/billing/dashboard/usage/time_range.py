"""The time range of the usage page: a month day by day, or a year month by month."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.http import Http404

from tenants.billing.usage.selectors import (
    days_of_keys,
    months_of_keys,
    months_of_models,
    usage_of,
    usage_of_keys,
)
from tenants.billing.usage.summary import UsageLine
from tenants.billing.usage.usage_query import GROUPS, Only, UsageQuery
from tenants.core.months import Month

YEAR = "12"


@dataclass(frozen=True)
class Stretch:
    month: Month
    """The last month of the range."""
    is_year: bool = False

    @classmethod
    def read(cls, parameters: Mapping[str, str], today: date) -> "Stretch":
        """Read the range. It is the current month unless another is named, which must have begun, or the year that ends
        with the current month.
        """
        current, text = Month.of(today), parameters.get("month", "")
        if parameters.get("months") == YEAR:
            return cls(current, is_year=True)
        month = Month.parse(text) if text else current
        if month is None or month > current:
            raise Http404(
                f"No usage for the month {text!r}. Enter a past month as YYYY-MM, for example {current}."
            )
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

    def asked(self, only: Only) -> UsageQuery:
        """Return the query for the file, grouped by all fields."""
        start, end = (datetime.combine(day, time(), UTC) for day in (self.since.first, self.month.after_last))
        return UsageQuery(start, end, "month" if self.is_year else "day", GROUPS, only)
