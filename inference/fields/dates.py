"""Dates as they are written in English, German, French, Spanish, Italian and Dutch."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

Order = Literal["dmy", "mdy"]
FIRST_YEAR, LAST_YEAR = 1950, 2079
_MONTHS = (
    "january jan januar janner jaenner janvier janv enero ene gennaio gen januari",
    "february feb februar febr fevrier fevr febrero febbraio februari",
    "march mar marz maerz mrz mars marzo maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag mei",
    "june jun juni juin junio giugno giu",
    "july jul juli juillet juil julio luglio lug",
    "august aug aout agosto ago augustus",
    "september sep sept septembre septiembre setiembre settembre set",
    "october oct oktober okt octobre octubre ottobre ott",
    "november nov novembre noviembre",
    "december dec dezember dez decembre diciembre dic dicembre",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_SPACE = r"[ \u00a0]?"
_NUMERIC = re.compile(
    r"(?<![\w.,/-])(?:(?P<y>\d{4})(?P<s1>[-./])(?P<m>\d{1,2})(?P=s1)(?P<d>\d{1,2})"
    r"|(?P<a>\d{1,2})(?P<s2> ?[-./] ?)(?P<b>\d{1,2})(?: ?[-./] ?)(?P<c>\d{4}|['’]?\d{2}))(?![\w/-]|[.,]\d)"
)
_NAME = r"[^\W\d_]{3,10}"
_DAY_FIRST = re.compile(
    rf"(?<![\w.,/])(?P<day>\d{{1,2}})(?:\.|er|º|°|st|nd|rd|th)?(?: of\b| de\b| del\b)?[ \u00a0./-]?"
    rf"(?P<name>{_NAME})\.?,?(?: de\b| del\b)?[ \u00a0./-]?(?P<year>\d{{4}}|['’]?\d{{2}})(?![\w/]|[.,]\d)",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"(?<!\w)(?P<name>{_NAME})\.?[ \u00a0]?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,{_SPACE}|[ \u00a0.])"
    rf"(?P<year>\d{{4}})(?!\w|[.,]\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FoundDate:
    start: int
    end: int
    text: str
    options: tuple[date, ...]
    """The dates that it may mean: a single one, or two if the order of day and month decides."""

    def resolved(self, order: Order | None) -> date | None:
        """Return the date in an order of day and month, or None if it depends on the order and that is unknown."""
        if len(self.options) == 1:
            return self.options[0]
        return None if order is None else self.options[0 if order == "dmy" else 1]


def find_dates(text: str) -> list[FoundDate]:
    """Return the dates of a text from left to right. None overlaps another."""
    if not any(map(str.isdigit, text)):
        return []
    found = sorted([*_numeric(text), *_named(text)], key=lambda each: (each.start, -each.end))
    kept: list[FoundDate] = []
    for each in found:
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def normalized_date(text: str, order: Order | None = None) -> str | None:
    """Return the only date of a text as an ISO date, or None if it has none or several, or if it is ambiguous."""
    found = find_dates(text)
    if len(found) != 1:
        return None
    resolved = found[0].resolved(order)
    return resolved.isoformat() if resolved else None


def order_votes(dates: Iterable[FoundDate]) -> dict[Order, int]:
    """Return how many numeric dates are possible in one order only, by that order."""
    votes: dict[Order, int] = {"dmy": 0, "mdy": 0}
    for found in dates:
        numeric = _NUMERIC.fullmatch(found.text)
        if numeric and numeric["a"] and len(found.options) == 1 and numeric["a"] != numeric["b"]:
            votes["mdy" if found.options[0].day == int(numeric["b"]) else "dmy"] += 1
    return votes


def _numeric(text: str) -> Iterator[FoundDate]:
    for match in _NUMERIC.finditer(text):
        if match["y"]:
            options = [_date(match["y"], match["m"], match["d"])]
        else:
            first, second, separator = match["a"], match["b"], match["s2"].strip()
            options = [_date(match["c"], second, first)]
            if separator != ".":
                options.append(_date(match["c"], first, second))
        known = tuple(dict.fromkeys(option for option in options if option))
        if known:
            yield FoundDate(*match.span(), match.group(), known)


def _named(text: str) -> Iterator[FoundDate]:
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        for match in pattern.finditer(text):
            month = MONTHS.get(_plain(match["name"]))
            found = _date(match["year"], month, match["day"]) if month else None
            if found:
                yield FoundDate(*match.span(), match.group(), (found,))


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _date(year: str, month: str | int, day: str) -> date | None:
    number = int(year.lstrip("'’"))
    if number < 100:
        number += 2000
    if not FIRST_YEAR <= number <= LAST_YEAR:
        return None
    try:
        return date(number, int(month), int(day))
    except ValueError:
        return None
