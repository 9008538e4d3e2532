"""The shape of a page's text, as numbers from 0 to about 1: figures, dates, lines, labels, pronouns and marks."""

import re
from collections.abc import Mapping, Sequence
from math import log1p

_FIGURES: Mapping[str, re.Pattern[str]] = {
    "amounts": re.compile(r"(?<![\d.,/])\d{1,3}(?:[.,' ]?\d{3})*[.,]\d\d(?![\d.,/])"),
    "dates": re.compile(
        r"\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{4}-\d\d-\d\d\b"
        r"|\b\d{1,2}\.? [A-ZÄa-zäéû]{3,9}\.? \d{4}\b|\b[A-Z][a-z]{2,8} \d{1,2}, \d{4}\b"
    ),
    "percents": re.compile(r"\d (?:%|percent\b|per cent\b|Prozent\b)|\d%"),
    "captions": re.compile(r"\b(?:Fig(?:ure|\.)|Table|Tab\.|Chart|Abb(?:ildung|\.)|Tabelle|Diagramm) ?\d"),
    "ibans": re.compile(r"\b[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3}"),
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
    "only_digits": re.compile(r"[\W\d]*\d[\W\d]*(?:EUR|USD|GBP|CHF|kg|h|%)?\W*$"),
}
_BLANKS = re.compile(r"_{3,}|\.{5,}|…{2,}|_ _ _")
_BOXES = re.compile(r"[☐☑☒□▢○◯❏]|\[\s?[xX]?\s?\](?!\()|\(\s{1,3}\)")
_WORD = re.compile(r"[^\W\d_]+")
SHORT, LONG = 4, 10
"""The words of a short line at most, and of a long line at least."""


def _both_cases(words: str) -> frozenset[str]:
    return frozenset(words.split()) | frozenset(words.title().split())


_PRONOUNS: Mapping[str, frozenset[str]] = {
    "first_person": _both_cases("me my we us our ich mir mich mein meine meinen wir uns unser unsere unserem") | {"I"},
    "second_person": _both_cases("you your yours du dir dich dein deine euch euer")
    | frozenset("Sie Ihnen Ihr Ihre Ihren Ihrem Ihrer".split()),
    "third_person": _both_cases("he she his her him they them their er ihm ihn sein seine seinen seiner")
    | frozenset("sie ihr ihre ihren ihnen".split()),
    "articles": _both_cases("the a an der die das den dem des ein eine einen einem einer"),
}


def shape_of(lines: Sequence[str]) -> dict[str, float]:
    filled = [line for line in lines if line.strip()]
    text = "\n".join(filled)
    with_digits = "\n".join(line for line in filled if any(map(str.isdigit, line)))
    words = _WORD.findall(text)
    return {
        **{name: _many(len(mark.findall(with_digits))) for name, mark in _FIGURES.items()},
        **{name: _many(sum(map(text.count, signs))) for name, signs in _SIGNS.items()},
        "blanks": _many(len(_BLANKS.findall(text))),
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


def _share(words: Sequence[str], members: frozenset[str]) -> float:
    return min(1.0, 10 * sum(word in members for word in words) / max(1, len(words)))


def _many(count: int) -> float:
    """Return a number from 0 (none) over 0.5 (about five) to 1 (about thirty)."""
    return min(1.0, log1p(count) / 3.5)
