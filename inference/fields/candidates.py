"""The candidates of a page for the fields of an invoice or receipt, small enough to be kept until the document ends."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from inference.core.contracts import Json, TextLine
from inference.fields.amounts import decimal_sign
from inference.fields.candidate import Candidate
from inference.fields.dates import find_dates, order_votes
from inference.fields.identifiers import find_ibans, find_vat_numbers
from inference.fields.identity import identity_candidates, is_title
from inference.fields.items import line_items
from inference.fields.labels.vocabulary import spelled, titles
from inference.fields.money import currency_candidates, remainders, sum_candidates, tax_rows
from inference.fields.page_text import PageText, Piece, page_text
from inference.fields.parties import party_candidates
from inference.fields.summed_items import summed_items
from inference.fields.values import Labeled
from inference.tables.table import Table

LARGE, MAX_HEADING_WORDS = 1.3, 8
"""The height of a heading, at least, as a multiple of the usual height, and its words that are looked at."""
_AMERICAN = re.compile(r"\b[A-Z]{2},? \d{5}(?:-\d{4})?$")
"""The state and the postal code that an address in the United States ends with."""
MAX_OF_A_NAME = 8
"""The candidates of a field that a page keeps."""


def page_candidates(
    lines: Sequence[TextLine],
    tables: Sequence[Table],
    width: float | None,
    height: float | None,
    document_class: Mapping[str, Any] | None,
) -> Json:
    """Return the candidates of a page as JSON for `document_fields`.

    `document_class` is the class of the page as `classify_page` gives it, if it is known.
    """
    page = Labeled.of(page_text(lines, width, height))
    texts = [piece.text for piece in page.text.pieces]
    decimal = decimal_sign(texts)
    sums = list(sum_candidates(page, decimal))
    items = line_items(tables, decimal) or summed_items(page, sums, decimal)
    sums += remainders(page, sums, {item["amount"] for item in items}, decimal)
    found = [*identity_candidates(page), *sums, *currency_candidates(page, sums), *party_candidates(page)]
    dates = [date for text in texts for date in find_dates(text)]
    return {
        "candidates": [each.as_json() for each in _kept(found)],
        "tax_rates": tax_rows(page, decimal),
        "line_items": items,
        "language": page.language,
        "date_order": dict(order_votes(dates)),
        "countries": dict(_countries(texts)),
        "evidence": _evidence(page, found, items),
        "class": _probabilities(document_class),
    }


def _kept(found: Sequence[Candidate]) -> list[Candidate]:
    counts: Counter[str] = Counter()
    kept = []
    for each in sorted(found, key=lambda one: -one.score):
        counts[each.name] += 1
        if counts[each.name] <= MAX_OF_A_NAME:
            kept.append(each)
    return kept


def _countries(texts: Sequence[str]) -> Counter[str]:
    """Return the countries of tax numbers and bank accounts, which say in which order a date is written."""
    counts: Counter[str] = Counter()
    for text in texts:
        for found in (*find_vat_numbers(text), *find_ibans(text)):
            counts[found.normalized[:2]] += 1
        counts["US"] += bool(_AMERICAN.search(text))
    return +counts


def _probabilities(document_class: Mapping[str, Any] | None) -> Json:
    return None if document_class is None else dict(document_class["probabilities"])


def _evidence(page: Labeled, found: Sequence[Candidate], items: Sequence[Json]) -> Json:
    """Return what speaks for an invoice on a page: titles, fields that only invoices have, and items."""
    best: dict[str, float] = {}
    for each in found:
        best[each.name] = max(best.get(each.name, 0.0), each.score)
    return {
        "title": any(is_title(piece.text) for piece in page.text.pieces),
        "titled_number": any(_begins_with_title(piece.text) for piece in page.text.pieces),
        "other_title": any(_is_other_title(piece.text) for piece in page.text.pieces[:40]),
        "other_heading": any(_is_other_heading(page.text, piece) for piece in page.text.pieces[:40]),
        "names": {name: round(score, 2) for name, score in best.items()},
        "items": bool(items or page.heads),
    }


def _roles_of(text: str) -> set[str]:
    whole = "".join(spelled(word) for word in text.split())
    return {role for roles in titles().roles.get(whole, {}).values() for role in roles}


def _begins_with_title(text: str) -> bool:
    words = text.split()
    return 1 < len(words) <= 6 and bool(_roles_of(words[0]) & {"title", "credit_title"}) and any(map(str.isdigit, text))


def _is_other_title(text: str) -> bool:
    return len(text) < 40 and "other_title" in _roles_of(" ".join(text.split()[:2])) | _roles_of(text)


def _is_other_heading(page: PageText, piece: Piece) -> bool:
    """Return whether a piece in large print, or the first of a text, names another kind of document."""
    words = piece.text.split()[:MAX_HEADING_WORDS]
    phrases = [*words, *map(" ".join, pairwise(words)), " ".join(words)]
    is_heading = piece.box.height >= LARGE * page.line_height if piece.is_placed else piece.line == 0
    return is_heading and any("other_title" in _roles_of(each) for each in phrases)
