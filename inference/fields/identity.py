"""Candidates for the numbers, dates and bank accounts of an invoice."""

import re
from collections.abc import Iterator

from inference.fields.amounts import find_amounts
from inference.fields.candidate import Candidate, candidate
from inference.fields.dates import FoundDate, find_dates
from inference.fields.identifiers import find_ibans, find_vat_numbers
from inference.fields.labels.finding import Label
from inference.fields.labels.vocabulary import spelled, titles
from inference.fields.page_text import PageText, Piece
from inference.fields.values import Labeled, Span

NUMBERS, DATES = ("invoice_number", "order_number"), ("issue_date", "due_date")
DIRECTION = {"inline": 1.0, "beside": 0.95, "below": 0.85}
RUNNING_WORDS = 9
"""The words of a piece from which it is running text, where a label is less sure."""
MAX_BELOW = 3
CUT = ("-", "/", "_")
_TOKEN = re.compile(r"[A-Za-z0-9ÄÖÜ](?:[A-Za-z0-9ÄÖÜ]|[-./_#\\:](?=[A-Za-z0-9ÄÖÜ]))*")
_LEADING = re.compile(r"[\s:.#№°º-]*(?:(?:[Nn][ro°º]?|[Nn]um|NR|NO|Nº)[.°º]*[\s:]+)?")
_PREFIX = re.compile(r"[A-ZÄÖÜ]{1,5}")
_PHONE = re.compile(r"\+\d|\(\d+\)|0\d{2,5}[ /-]\d")
_BETWEEN = re.compile(r"[ \u00a0]?[-/]?[ \u00a0]?")
_DATE_LEAD = re.compile(r"[\s,.:–-]*(?:[^\W\d_]{2,10}[.,]{0,2}\s+)?")
_PLACE = re.compile(r"[^\W\d_][^\d,]{2,30},\s*")
"""What stands before the date of a letter, such as in `Wien, am 29. Oktober 2026`."""
_TIME = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b")


def identity_candidates(page: Labeled) -> Iterator[Candidate]:
    labeled: set[tuple[int, int, int]] = set()
    for piece in page.text.pieces:
        previous: frozenset[str] = frozenset()
        for label in page.labels_of(piece):
            roles = page.roles(label)
            yield from _numbers(page, label, roles)
            if "weak_date" not in roles or not _is_among_heads(page, piece):
                yield from _dates(page, label, roles, previous, labeled)
            previous = roles
    yield from _unlabeled_dates(page, labeled)
    yield from _ibans(page)


def _is_among_heads(page: Labeled, piece: Piece) -> bool:
    """Return whether a piece stands in the row of the heads of items, where `Date` is that of each item."""
    return bool(page.heads) and any((other.line, other.start) in page.heads for other in page.text.row(piece.box))


def _numbers(page: Labeled, label: Label, roles: frozenset[str]) -> Iterator[Candidate]:
    wanted = [name for name in NUMBERS if name in roles]
    if not wanted and "weak_number" in roles and _has_title_near(page, label):
        wanted = ["invoice_number"]
    if not wanted or (len(roles) > len(wanted) and "vat_id" in roles):
        return
    bare = is_bare(label)
    strength = 0.62 if "weak_number" in roles else 0.8 if bare else 1.0
    strength *= _running(label)
    below = 0
    for span in page.spans(label):
        if bare and span.direction != "inline":
            strength = 0.85 if _is_among_labels(page, label) else 0.5
        below += span.direction == "below"
        if span.text.endswith(CUT):
            return  # The number goes on in the next line.
        place = identifier_in(
            span.text, whole=span.direction != "inline", named=not bare and "weak_number" not in roles
        )
        if place is not None:
            written = span.text[slice(*place)]
            score = strength * DIRECTION[span.direction] * _likely_number(written)
            for name in wanted:
                yield candidate(page.text, name, span, place, normalized=written, score=score)
            return
        if below >= MAX_BELOW:
            return


def is_bare(label: Label) -> bool:
    """Return whether a label of a number is but the name of a document, such as `Invoice`."""
    after = label.piece.text[label.end : label.value_start]
    return spelled_label(label) in titles().roles and not set(after) & set("#°º№:")


def _is_among_labels(page: Labeled, label: Label) -> bool:
    """Return whether a label stands in a row of labels, as above the cells of a table."""
    return label.is_alone and any(
        page.is_label(piece) and piece is not label.piece for piece in page.text.row(label.piece.box)
    )


def spelled_label(label: Label) -> str:
    return "".join(spelled(word) for word in re.findall(r"[^\W_]+", label.piece.text[label.start : label.end]))


def _has_title_near(page: Labeled, label: Label) -> bool:
    """Return whether the title of an invoice stands just above a label, or before it in its row."""
    box, height = label.piece.box, page.text.line_height
    return any(
        -6 * height <= piece.box.middle - box.middle <= height and is_title(piece.text) for piece in page.text.pieces
    )


def is_title(text: str) -> bool:
    return len(text) < 40 and _title_roles(text) & {"title", "credit_title"} != set()


def _title_roles(text: str) -> set[str]:
    words = re.findall(r"[^\W\d_]+", text)
    whole = "".join(spelled(word) for word in words)
    roles = titles().roles.get(whole, {})
    return {role for found in roles.values() for role in found}


def _running(label: Label) -> float:
    """Return how likely a label is none because it stands in running text."""
    before = label.piece.text[: label.start].split()
    words = label.piece.text.split()
    if label.has_colon or (label.at_start and len(words) < RUNNING_WORDS):
        return 1.0
    return 0.9 if len(words) < RUNNING_WORDS and len(before) < 5 else 0.55


def identifier_in(text: str, *, whole: bool, named: bool = False) -> tuple[int, int] | None:
    """Return the place of an identifier at the start of a text, such as `RE 2024-0012`, or None.

    With `whole` it must be all of the text, and if it is `named`, it may look like the number of a telephone.
    """
    lead = _LEADING.match(text)
    start = lead.end() if lead else 0
    first = _TOKEN.match(text, start)
    if first is None:
        return None
    end = first.end()
    if not any(map(str.isdigit, first.group())):
        if not _PREFIX.fullmatch(first.group()):
            return None
        second = _TOKEN.match(text, _BETWEEN.match(text, end).end())  # type: ignore[union-attr]
        if second is None or not second.group()[0].isdigit():
            return None
        end = second.end()
    end = _joined_end(text, end)
    written = text[start:end]
    rest = text[end:].strip(" .,;)")
    if (whole and rest) or not is_identifier(written, text[start:], named=named):
        return None
    return start, end


def _joined_end(text: str, end: int) -> int:
    """Return the end of an identifier that is written with spaces, if it is all of the text."""
    pieces = text[end:].split()
    if 0 < len(pieces) <= 3 and pieces[-1] not in "-/" and all(_GROUP.fullmatch(each) for each in pieces):
        return len(text.rstrip())
    return end


_GROUP = re.compile(r"[-/]|[A-Z]{0,3}[-/]?\d{2,8}|[-/]\d+|[A-Z]{1,3}")


def is_identifier(written: str, rest: str, *, named: bool = False) -> bool:
    if not 2 <= len(written) <= 30 or (not named and _PHONE.match(written)):
        return False
    dates = find_dates(rest)
    if dates and dates[0].start == 0:
        return False
    amounts = find_amounts(rest)
    if amounts and amounts[0].start == 0 and (amounts[0].currency or (amounts[0].has_cents and "," in written)):
        return False
    return not find_ibans(rest[:60]) and not (find_vat_numbers(written) and written[:2].isalpha())


def _likely_number(written: str) -> float:
    digits = sum(map(str.isdigit, written))
    return 1.0 if digits >= 3 else 0.85 if digits == 2 else 0.6


def _dates(
    page: Labeled,
    label: Label,
    roles: frozenset[str],
    previous: frozenset[str],
    labeled: set[tuple[int, int, int]],
) -> Iterator[Candidate]:
    wanted = [name for name in DATES if name in roles]
    others = roles & {"delivery_date", "order_number", "other", "customer_number"}
    if not wanted and "weak_date" not in roles and not others:
        return
    for span in page.spans(label):
        found = _first_date(span)
        if found is None:
            if span.direction == "below":
                return
            continue
        key = (span.piece.line, span.piece.start, span.start + found.start)
        if span.direction == "below" and (key in labeled or not (wanted or label.is_alone)):
            return
        labeled.add(key)
        if not wanted and span.direction == "below" and _is_column(page, span):
            return
        for name, strength in _date_names(wanted, label, roles, previous).items():
            score = strength * DIRECTION[span.direction] * (1.0 if name == "due_date" else _running(label))
            yield dated(page.text, name, span, found, score)
        return


def _is_column(page: Labeled, span: Span) -> bool:
    """Return whether another date stands below one, as in the column of a table."""
    return any(_first_date(Span(each, 0, len(each.text), "below")) for each in page.text.below(span.piece.box, 1.5)[:1])


def _date_names(wanted: list[str], label: Label, roles: frozenset[str], previous: frozenset[str]) -> dict[str, float]:
    """Return the dates that a label may name, with the strength of each."""
    if wanted and (label.letters > 3 or label.has_colon or label.is_alone):
        return dict.fromkeys(wanted, 1.0)
    if not wanted and "weak_date" not in roles:
        return {}
    if _PLACE.fullmatch(label.piece.text[: label.start]):
        return {"issue_date": 0.7}
    if label.letters <= 3 and not label.has_colon and not label.is_alone:
        numbered = "invoice_number" in previous
        return {"issue_date": 0.85} if numbered else {"issue_date": 0.3} if not previous else {}
    return {"issue_date": 0.78}


def _first_date(span: Span) -> FoundDate | None:
    """Return the date at the start of a span, or behind the name of a place or of a day of the week."""
    dates = find_dates(span.text)
    if not dates:
        return None
    lead = _DATE_LEAD.match(span.text)
    near = lead.end() if lead else 0
    return dates[0] if dates[0].start <= max(near, 3) else None


def dated(page: PageText, name: str, span: Span, found: FoundDate, score: float) -> Candidate:
    options = tuple(option.isoformat() for option in found.options)
    normalized = options[0] if len(options) == 1 else None
    kept = options if len(options) > 1 else ()
    return candidate(page, name, span, (found.start, found.end), normalized=normalized, score=score, options=kept)


def _unlabeled_dates(page: Labeled, labeled: set[tuple[int, int, int]]) -> Iterator[Candidate]:
    """Yield dates without a label: behind a place, beside the time of a receipt, or alone in the upper half."""
    for piece in page.text.pieces:
        dates = find_dates(piece.text)
        if (
            len(dates) != 1
            or (piece.line, piece.start, dates[0].start) in labeled
            or _is_labeled(page, piece, dates[0])
        ):
            continue
        around = piece.text[: dates[0].start] + piece.text[dates[0].end :]
        timed = bool(_TIME.search(around))
        if len(around.split()) > (6 if timed else 3) or (not timed and piece.box.middle > 0.5 * page.text.height):
            continue
        near = any(_TIME.fullmatch(other.text.strip()) for other in page.text.beside(piece.box))
        score = 0.6 if timed or near else 0.45
        yield dated(page.text, "issue_date", Span(piece, 0, len(piece.text), "inline"), dates[0], score)


def _is_labeled(page: Labeled, piece: Piece, found: FoundDate) -> bool:
    """Return whether a label stands in a piece with a date, but for one behind it that has a value of its own."""
    return any(label.start < found.end or not label.has_colon for label in page.labels_of(piece))


def _ibans(page: Labeled) -> Iterator[Candidate]:
    for piece in page.text.pieces:
        for found in find_ibans(piece.text):
            labels = [label for label in page.labels_of(piece) if label.end <= found.start + 6]
            named = any("iban" in page.roles(label) for label in labels)
            score = (1.0 if named else 0.93) * (1.0 if found.is_exact else 0.85)
            span = Span(piece, 0, len(piece.text), "inline")
            yield candidate(page.text, "iban", span, (found.start, found.end), normalized=found.normalized, score=score)


def squeezed_text(text: str) -> str:
    """Return the letters and digits of a text in small letters."""
    return "".join(filter(str.isalnum, text.casefold()))
