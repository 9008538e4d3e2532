"""The shape of a page's text, as numbers from 0 to about 1: figures, dates, lines, labels, pronouns and marks."""

import re
from collections.abc import Mapping, Sequence
from math import log1p

from inference.classes.sums import sums_on

_FIGURES: Mapping[str, re.Pattern[str]] = {
    "amounts": re.compile(r"\d(?<![\d.,/]\d)\d{0,2}(?:[.,' ]?\d{3})*[.,]\d\d(?![\d.,/])"),
    "dates": re.compile(
        r"\d(?<!\w\d)(?:\d?[./-]\d{1,2}[./-]\d{2,4}|\d{3}-\d\d-\d\d|\d?\.? [A-Za-zÄäéû]{3,9}\.? \d{4})(?!\w)"
        r"|[A-Z](?<!\w[A-Z])[a-z]{2,8} \d{1,2}, \d{4}(?!\w)"
    ),
    "percents": re.compile(r"\d (?:%|percent\b|per cent\b|Prozent\b)|\d%"),
    "captions": re.compile(r"(?:Fig(?:ure|\.)|Table|Tab\.|Chart|Abb(?:ildung|\.)|Tabelle|Diagramm) ?\d"),
    "ibans": re.compile(r"[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3}"),
    "units": re.compile(r"\d ?(?:mg|g|kg|t|mm|cm|m|km|m²|m³|l|ml|kWh|MW|kN|N|°C?|µg|ppm|bar|dB|Hz|mph)(?![\w%])"),
    "phones": re.compile(r"(?:Tel|Phone|Fon|Fax|Telefon|Telephone)\b|\+\d\d[ (]"),
}
"""Marks that are sought in lines with digits only."""
_SIGNS: Mapping[str, tuple[str, ...]] = {
    "currencies": ("€", "$", "£", "EUR", "USD", "GBP", "CHF"),
    "addresses": ("@", "www.", "http"),
    "sections": ("§",),
    "questions": ("?",),
    "quotes": ("„", "“", "”", "»", '"'),
    "code": ("{", "}", "();", "()", ");", "==", "!=", "=>", "->", "</", "def ", "return ", "import ", "const "),
}
_LINES: Mapping[str, re.Pattern[str]] = {
    "clauses": re.compile(
        r"\s*(?:§ ?\d|(?:[Aa]rt(?:icle|ikel|\.)|ARTICLE|[Ss]ection|SECTION|[Cc]lause|Ziffer) ?\d"
        r"|\d{1,2}\.\d{1,2}\.? [A-ZÄÖÜ]|\(\d{1,2}\) |\([a-z]{1,3}\) |[a-z]\) )"
    ),
    "numbered": re.compile(r"\s*\d{1,2}[.)] ?[A-ZÄÖÜ]"),
    "bullets": re.compile(r"\s*[•–▪◦*·-] ?\w"),
    "labels": re.compile(r"\s*[^\W\d][^:]{1,30}(?:: ?$|: ?_|: ?\S.{0,30}$)"),
    "amount_ends": re.compile(r".*\d[.,]\d\d(?: ?(?:€|EUR|USD|GBP|CHF|[A-B]))?\W*$"),
    "only_digits": re.compile(r"[\W\d]*\d[\W\d]*(?:EUR|USD|GBP|CHF|kg|h|%)?\W*$"),
}
_BLANKS = re.compile(r"_{3,}|\.{5,}|…{2,}")
_BOXES = re.compile(r"[☐☑☒□▢○◯❏]|\[\s?[xX]?\s?\](?!\()|\(\s{1,3}\)")
_SCALES = re.compile(
    r"1 +2 +3 +4|[YyJjOoSs](?<!\w.)(?:(?:es|ES|a|A|ui|UI|í|i)\W+(?:no|No|NO|nein|Nein|NEIN|non|Non)|\W+[Nn])(?!\w)"
    r"|[Nn]/[Aa](?!\w)|M *[/|] *F(?!\w)|[Oox](?<!\w.) \w+ +[Oo] \w"
)
"""Answers to choose from."""
_ADDRESSING = re.compile(r"[^\W\d_][^\d,;:()]{2,45},")
"""A line such as "Good morning Mr. Hall,": the start of a letter, if there are no more than two."""
MAX_CHOICES = 90
"""The characters of a line with answers to choose from."""
_WORD = re.compile(r"[^\W\d_]+")
SHORT, LONG = 4, 10
"""The words of a short line at most, and of a long line at least."""


def _both_cases(words: str) -> frozenset[str]:
    return frozenset(words.split()) | frozenset(words.title().split())


_PRONOUNS: Mapping[str, frozenset[str]] = {
    "first_person": _both_cases("me my we us our ich mir mich mein meine meinen wir uns unser unsere unserem") | {"I"},
    "second_person": _both_cases("you your yours du dir dich dein deine euch euer")
    | frozenset(["Sie", "Ihnen", "Ihr", "Ihre", "Ihren", "Ihrem", "Ihrer"]),
    "third_person": _both_cases("he she his her him they them their er ihm ihn sein seine seinen seiner")
    | frozenset(["sie", "ihr", "ihre", "ihren", "ihnen"]),
    "passives": _both_cases("was were been wurde wurden worden war waren"),
    "articles": _both_cases("the a an der die das den dem des ein eine einen einem einer"),
}


def shape_of(lines: Sequence[str]) -> dict[str, float]:
    filled = [line for line in lines if line.strip()]
    text = "\n".join(filled)
    with_digits = "\n".join(line for line in filled if any(map(str.isdigit, line)))
    short = "\n".join(line for line in filled if len(line) <= MAX_CHOICES)
    words = _WORD.findall(text)
    return {
        **{name: _many(len(mark.findall(with_digits))) for name, mark in _FIGURES.items()},
        **{name: _many(sum(map(text.count, signs))) for name, signs in _SIGNS.items()},
        "blanks": _many(len(_BLANKS.findall(text)) if "__" in text or "..." in text or "…" in text else 0),
        "scales": _many(len(_SCALES.findall(short))),
        "addressing": float(sum(_addresses(line) for line in filled) in (1, 2)),
        "sums": _many(sums_on(with_digits)),
        "boxes": _many(len(_BOXES.findall(text))),
        **{name: _share(words, members) for name, members in _PRONOUNS.items()},
        "digits": min(1.0, 3 * sum(map(str.isdigit, with_digits)) / max(1, len(text))),
        "length": min(1.0, log1p(len(words)) / 7),
        **_lines(filled),
    }


def shape_names() -> tuple[str, ...]:
    return tuple(shape_of(()))


def _lines(lines: Sequence[str]) -> dict[str, float]:
    """Return the shares of the lines that look like something."""
    total = max(1, len(lines))
    sizes = [line.count(" ") + 1 for line in lines]
    return {
        **{name: sum(mark.match(line) is not None for line in lines) / total for name, mark in _LINES.items()},
        "sentences": sum(line.endswith((".", "!", "?")) and not line[-2:-1].isdigit() for line in lines) / total,
        "capitals": sum(map(str.isupper, lines)) / total,
        "short_lines": sum(size <= SHORT for size in sizes) / total,
        "long_lines": sum(size >= LONG for size in sizes) / total,
        "lines": min(1.0, log1p(len(lines)) / 5),
    }


def _addresses(line: str) -> bool:
    return line.endswith(",") and _ADDRESSING.fullmatch(line) is not None


def _share(words: Sequence[str], members: frozenset[str]) -> float:
    return min(1.0, 10 * sum(word in members for word in words) / max(1, len(words)))


def _many(count: int) -> float:
    """Return a number from 0 (none) over 0.5 (about five) to 1 (about thirty)."""
    return min(1.0, log1p(count) / 3.5)
