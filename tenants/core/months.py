"""Calendar months, in UTC, in the form in which the dashboard and URLs name them: 2026-11."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

_FORM = re.compile(r"(20\d\d)-(0[1-9]|1[0-2])")


@dataclass(frozen=True, order=True)
class Month:
    year: int
    number: int

    @classmethod
    def of(cls, day: date) -> Self:
        return cls(day.year, day.month)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        match = _FORM.fullmatch(text)
        return cls(int(match[1]), int(match[2])) if match else None

    @property
    def first(self) -> date:
        return date(self.year, self.number, 1)

    @property
    def after_last(self) -> date:
        return self.next.first

    @property
    def next(self) -> "Month":
        return Month(self.year + self.number // 12, self.number % 12 + 1)

    @property
    def previous(self) -> "Month":
        return Month.of(self.first - timedelta(days=1))

    @property
    def days(self) -> list[date]:
        return [self.first + timedelta(days=n) for n in range((self.after_last - self.first).days)]

    @property
    def title(self) -> str:
        return f"{self.first:%B %Y}"

    def __str__(self) -> str:
        return f"{self.year:04d}-{self.number:02d}"
