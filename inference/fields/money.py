"""Candidates for the sums of an invoice, the taxes by rate, and the currency."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from inference.core.contracts import Json
from inference.fields.amounts import Amount, decimal_text, find_amounts, find_percents, percent_text
from inference.fields.candidate import Candidate, candidate, corners
from inference.fields.currencies import CURRENCY, PATTERN, normalized_currency
from inference.fields.dates import find_dates
from inference.fields.identity import RUNNING_WORDS
from inference.fields.labels.finding import Label
from inference.fields.page_text import Piece
from inference.fields.values import Labeled, Span
from inference.layout.boxes import Box

SUMS = ("net", "tax", "total")
OTHER_SUMS = ("paid", "discount", "shipping", "carry", "rounding", "withheld")
CENT = Decimal("0.01")
WORST_ROUNDING = Decimal("0.03")
MAX_AMOUNTS = 6
SIGNS = 2
"""The characters, at most, beside an amount that is all of a text."""
SUMMED = 0.9
"""The score of net and tax in one row that make the total."""
UNLABELED = 0.44
"""The score of amounts that a rate proves, but no label names: too low unless they make the total."""
_PERCENT_ONLY = re.compile(rf"(?:[\W\d]*%)?[\s():]*(?:in |en )?(?:{PATTERN})?[\s):]*")
_OTHER_WORDS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Placed:
    """An amount and the span that it is in."""

    span: Span
    amount: Amount


@dataclass(frozen=True, slots=True)
class Row:
    """A label of sums with the amounts that follow it, and the rate beside them."""

    label: Label
    names: Sequence[str]
    found: Sequence[Placed]
    rate: Decimal | None


def sum_candidates(page: Labeled, decimal: str | None) -> Iterator[Candidate]:
    rows = list(_rows(page, decimal))
    totals = {row.found[0].amount.value for row in rows if "total" in row.names and len(row.found) == 1}
    for row in rows:
        parts = _parts(row, totals)
        if parts is None:
            yield from _of_row(page, row)
        for name, placed in (parts or {}).items():
            yield _candidate(page, name, placed, SUMMED)
    yield from _of_rates(page, taxed_rows(page, decimal))


def _rows(page: Labeled, decimal: str | None) -> Iterator[Row]:
    for piece in page.text.pieces:
        if (piece.line, piece.start) in page.heads:
            continue
        taken = False
        for label in page.labels_of(piece):
            names = _names(page, label)
            if not names or (taken and not label.has_colon and not find_amounts(_before(page, label).text, decimal)):
                continue
            taken = True
            found, rate = amounts_of(page, label, decimal)
            if found:
                yield Row(label, names, found, rate)


def _parts(row: Row, totals: set[Decimal]) -> dict[str, Placed] | None:
    """Return net, tax and total of a row such as `Total 48.32 9.66 57.98`, or None if its amounts do not add up.

    The total may be missing if it stands elsewhere.
    """
    if "total" not in row.names or len(row.found) < 2:
        return None
    net, tax, *total = row.found[-3:]
    whole = net.amount.value + tax.amount.value
    if total and whole == total[0].amount.value:
        return {"net": net, "tax": tax, "total": total[0]}
    net, tax = row.found[-2:]
    return {"net": net, "tax": tax} if net.amount.value + tax.amount.value in totals else None


def remainders(
    page: Labeled, sums: Sequence[Candidate], items: Collection[str], decimal: str | None
) -> Iterator[Candidate]:
    """Yield amounts that no label names, but that are the total without the tax, or without the net amount.

    The amounts of line items, which are decimal strings, are none.
    """
    best = sorted(sums, key=lambda each: -each.score)
    named = {
        name: {Decimal(each.normalized or 0) for each in [one for one in best if one.name == name][:MAX_AMOUNTS]}
        for name in SUMS
    }
    for missing, other in (("net", "tax"), ("tax", "net")):
        wanted = {total - value for total in named["total"] for value in named[other] if 0 < value < total}
        wanted -= set(map(Decimal, items))
        if named[missing] or not wanted:
            continue
        for piece in page.text.pieces:
            span = Span(piece, 0, len(piece.text), "inline")
            for amount in _money(piece.text, decimal):
                if amount.value in wanted and amount.has_cents:
                    yield _candidate(page, missing, Placed(span, amount), UNLABELED)


def _of_rates(page: Labeled, rows: Sequence["Taxed"]) -> Iterator[Candidate]:
    """Yield the amount that is taxed and the tax, where there is one rate. They count if they make the total."""
    if len(rows) == 1:
        yield _candidate(page, "net", rows[0].base, UNLABELED)
        yield _candidate(page, "tax", rows[0].tax, UNLABELED)


def _candidate(page: Labeled, name: str, placed: Placed, score: float, rate: Decimal | None = None) -> Candidate:
    return candidate(
        page.text,
        name,
        placed.span,
        (placed.amount.start, placed.amount.end),
        normalized=decimal_text(placed.amount.value),
        score=score,
        rate=percent_text(rate) if rate is not None else None,
    )


def _names(page: Labeled, label: Label) -> list[str]:
    roles = page.roles(label)
    return [name for name in (*SUMS, *OTHER_SUMS) if name in roles]


def _before(page: Labeled, label: Label) -> Span:
    """Return what stands between the label before and this one."""
    ends = [each.value_start for each in page.labels_of(label.piece) if each.end <= label.start]
    return Span(label.piece, max(ends, default=0), label.start, "inline")


def _of_row(page: Labeled, row: Row) -> Iterator[Candidate]:
    label, names, found, rate = row.label, row.names, row.found, row.rate
    strength = 0.5 if len(label.piece.text.split()) >= RUNNING_WORDS and not label.at_start else 1.0
    strength *= 0.7 if _has_more_words(label, found[0]) else 1.0
    chosen = _chosen(found, rate)
    for place, placed in enumerate(found):
        amount = placed.amount
        score = strength * (1.0 if place == chosen else 0.45) * (0.9 if placed.span.direction == "below" else 1.0)
        score *= 1.0 if amount.has_cents else 0.85 if amount.currency else 0.4
        for name in names:
            yield _candidate(page, name, placed, score * (0.75 if len(names) > 1 else 1.0), rate)


def _has_more_words(label: Label, first: Placed) -> bool:
    """Return whether words stand between a label and its amount that are no currency and change its meaning."""
    text = label.piece.text
    end = first.span.start + first.amount.start if first.span.piece is label.piece else len(text)
    words = _OTHER_WORDS.findall(text[label.value_start : end])
    return any(normalized_currency(word) is None and not find_percents(f"1 {word}") for word in words)


def amounts_of(page: Labeled, label: Label, decimal: str | None) -> tuple[list[Placed], Decimal | None]:
    """Return the amounts that follow a label in its row, or else the nearest one below, and the rate in the row."""
    row: list[Span] = []
    inline = _money_span(page, label, decimal)
    if inline is not None:
        row.append(inline)
    has_amount = inline is not None and any(each.has_cents or each.currency for each in _money(inline.text, decimal))
    if not has_amount or _goes_on(page, label, decimal):
        for piece in page.text.beside(label.piece.box):
            if page.is_label(piece) and (set(_names(page, page.labels_of(piece)[0])) or find_amounts(piece.text)):
                break
            row.append(Span(piece, 0, len(piece.text), "beside"))
    percents = [each for span in (*row, _before(page, label)) for each in _rates(span)]
    found = [Placed(span, amount) for span in row for amount in _money(span.text, decimal)][:MAX_AMOUNTS]
    if not found and label.at_start and _PERCENT_ONLY.fullmatch(label.piece.text[label.value_start :]):
        below = next(iter(page.below(label, whole=True)), None)
        if below is not None:
            found = [Placed(below, amount) for amount in _money(below.text, decimal) if _is_only(below, amount)]
    return found, percents[0] if percents else None


def _goes_on(page: Labeled, label: Label, decimal: str | None) -> bool:
    """Return whether a row of sums goes on with amounts beside the first one, as in `Total 48.32   9.66   57.98`."""
    beside = page.text.beside(label.piece.box)
    return bool(beside) and label.at_start and all(_is_amount(piece.text, decimal) for piece in beside)


def _is_amount(text: str, decimal: str | None) -> bool:
    found = _money(text, decimal)
    return len(found) == 1 and found[0].has_cents and len(text) - len(found[0].text) <= SIGNS


def _money_span(page: Labeled, label: Label, decimal: str | None) -> Span | None:
    """Return what follows a label up to the next one that has an amount of its own."""
    text = label.piece.text
    end = len(text)
    for later in page.labels_of(label.piece):
        if later.start >= label.end and find_amounts(text[label.value_start : later.start], decimal):
            end = later.start
            break
    return Span(label.piece, label.value_start, end, "inline") if text[label.value_start : end].strip() else None


def _rates(span: Span) -> list[Decimal]:
    return [number for _, _, number in find_percents(span.text)]


def _money(text: str, decimal: str | None) -> list[Amount]:
    """Return the amounts that may be money: not parts of dates, and not whole numbers without a currency."""
    dates = find_dates(text)
    return [
        amount
        for amount in find_amounts(text, decimal)
        if (amount.has_cents or amount.currency or amount.number_text == text.strip())
        and not any(date.start <= amount.start < date.end for date in dates)
    ]


def _is_only(span: Span, amount: Amount) -> bool:
    return len(span.text) - len(amount.text) <= SIGNS


def _chosen(found: Sequence[Placed], rate: Decimal | None) -> int:
    """Return the place of the amount that a label most likely names: the last, or the tax that a rate proves."""
    values = [placed.amount.value for placed in found]
    if rate is not None:
        for place in range(len(values) - 1, 0, -1):
            if any(is_tax(base, rate, values[place]) for base in values[:place]):
                return place
    return len(found) - 1


def is_tax(base: Decimal, rate: Decimal, tax: Decimal) -> bool:
    return abs(base * rate / 100 - tax) <= WORST_ROUNDING and (tax != 0 or rate == 0)


@dataclass(frozen=True, slots=True)
class Taxed:
    """A row with a rate, an amount, and a tax that is this share of it."""

    rate: Decimal
    base: Placed
    tax: Placed


def tax_rows(page: Labeled, decimal: str | None) -> list[Json]:
    """Return the taxes by rate."""
    return [_rate_row(page, row) for row in taxed_rows(page, decimal)]


def taxed_rows(page: Labeled, decimal: str | None) -> list[Taxed]:
    """Return the rows that say how much tax there is of which amount, the first of each rate."""
    rows: list[Taxed] = []
    used: set[int] = set()
    for number, piece in enumerate(page.text.pieces):
        if number in used or not _rates(Span(piece, 0, len(piece.text), "inline")):
            continue
        row = _row(page, piece)
        found = [Placed(span, amount) for span in row for amount in _money(span.text, decimal)][:MAX_AMOUNTS]
        for rate in dict.fromkeys(rate for span in row for rate in _rates(span)):
            pair = _taxed(found, rate)
            if pair is not None and not any(known.rate == rate for known in rows):
                rows.append(Taxed(rate, *pair))
    return rows


def _row(page: Labeled, piece: Piece) -> list[Span]:
    """Return all of the pieces in the row of a piece, from left to right."""
    return [Span(each, 0, len(each.text), "beside") for each in page.text.row(piece.box)]


def _taxed(found: Sequence[Placed], rate: Decimal) -> tuple[Placed, Placed] | None:
    for base in found:
        for tax in found:
            if tax is not base and base.amount.has_cents and is_tax(base.amount.value, rate, tax.amount.value):
                return base, tax
    return None


def _rate_row(page: Labeled, row: Taxed) -> Json:
    both = row.base, row.tax
    boxes = [placed.span.box(placed.amount.start, placed.amount.end) for placed in both]
    return {
        "rate": percent_text(row.rate),
        "net": decimal_text(row.base.amount.value),
        "tax": decimal_text(row.tax.amount.value),
        "box": corners(Box.around(boxes)) if row.tax.span.piece.is_placed else None,
        "quote": page.text.lines[row.tax.span.piece.line],
        "confidence": round(min(placed.span.piece.confidence for placed in both), 3),
    }


def currency_candidates(page: Labeled, sums: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield for each currency of the page the place where it is written best: beside a sum, or else anywhere."""
    best: dict[str, Candidate] = {}
    counts: dict[str, int] = {}
    quotes = {found.quote for found in sums if found.name in SUMS}
    for piece in page.text.pieces:
        for match in CURRENCY.finditer(piece.text):
            code = normalized_currency(match.group())
            amounts = any(each.currency and each.start <= match.start() < each.end for each in find_amounts(piece.text))
            if code is None or (
                len(match.group()) > 2 and match.group().isalpha() and _in_name(piece.text, match.end())
            ):
                continue
            counts[code] = counts.get(code, 0) + 1 + amounts
            score = 0.95 if page.text.lines[piece.line] in quotes else 0.9 if amounts else 0.7
            if code not in best or score > best[code].score:
                span = Span(piece, 0, len(piece.text), "inline")
                best[code] = candidate(page.text, "currency", span, match.span(), normalized=code, score=score)
    whole = sum(counts.values())
    for code, found in best.items():
        share = counts[code] / whole
        yield Candidate.of_json({**found.as_json(), "score": found.score * (0.4 + 0.6 * share)})


def _in_name(text: str, end: int) -> bool:
    """Return whether a code is a part of a name or number, such as in `EUR-123`."""
    return bool(text[end : end + 2].strip()) and text[end : end + 1] == "-" and text[end + 1 : end + 2].isdigit()
