"""Finds the own fields of a tenant on the pages of a document, as they were pointed at or described."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from inference.core.contracts import Json
from inference.fields.labels.finding import Label
from inference.fields.labels.vocabulary import Vocabulary, vocabulary_of
from inference.fields.values import Span
from inference.own_fields.candidates import (
    Found,
    Wanted,
    continued,
    found_in,
    is_key,
    label_quality,
    without_brackets,
)
from inference.own_fields.columns import column_values
from inference.own_fields.definition import OwnField, Trace
from inference.own_fields.misread import OWN, add_misread
from inference.own_fields.neighbors import Expected, expected_place
from inference.own_fields.page import Sheet, below_of, fingerprint, head_of, is_known_label, sheets_of
from inference.own_fields.positions import at_position
from inference.own_fields.ticks import ticked

MIN_SCORE = 0.45
SAME_SCORE = 0.01
LATER_IN_ROW = 0.95
REACH_LINES, UNTAUGHT_REACH_LINES = 3.2, 1.8
"""The height from a label to a value below it, at most, in lines: if an example had it below, and otherwise."""
SHORT_LABEL = 1
"""The letters up to which an own label must stand alone or before its value."""
DIRECTIONS = {"inline": "right", "beside": "right", "below": "below"}
USUAL = {"inline": 1.0, "beside": 0.97, "below": 0.88}
MAX_LABELS = 40
"""The places of a label on a page that are looked at."""


def find(results: Sequence[Mapping[str, Json] | None], fields: Sequence[OwnField]) -> list[dict[str, Json]]:
    """Return the values of the fields in the results of a document's pages. What is not there is left out.

    A page that was not read is None. A field at the place `column` may have several values, any other one at most.
    """
    if not fields:
        return []
    wanted = [Wanted(own, number) for number, own in enumerate(fields)]
    vocabulary = _vocabulary(tuple((OWN, each.role, label) for each in wanted for label in each.labels))
    sheets = sheets_of(results, 1, vocabulary)
    here = {role for sheet in sheets for role in sheet.labels}
    add_misread(sheets, {each.role: each.labels for each in wanted if each.role not in here})
    return [found.as_json(each.own) for each in wanted for found in _values(each, sheets, len(results))]


@lru_cache(maxsize=64)
def _vocabulary(entries: tuple[tuple[str, str, str], ...]) -> Vocabulary:
    """Return the vocabulary of own fields, which is the same for the documents that end one after the other."""
    return vocabulary_of(entries, SHORT_LABEL)


def _values(wanted: Wanted, sheets: Sequence[Sheet], pages: int) -> Sequence[Found]:
    if wanted.own.place == "column":
        return column_values(wanted, sheets)
    found = [each for sheet in sheets for each in _on_page(wanted, sheet, pages) if each.score >= MIN_SCORE]
    best = max(found, key=lambda each: (each.score, -each.page), default=None)
    return () if best is None or any(_contradicts(each, best) for each in found) else (best,)


def _contradicts(found: Found, best: Found) -> bool:
    """Return whether as much speaks for another value on the same page, so that each would be guessed."""
    same = (found.normalized or found.value) == (best.normalized or best.value)
    return found.page == best.page and not same and found.score > best.score - SAME_SCORE


def _on_page(wanted: Wanted, sheet: Sheet, pages: int) -> Iterator[Found]:
    has_label = bool(wanted.labels) and wanted.own.place != "position"
    if has_label and wanted.role not in sheet.labels:
        if not wanted.has_changing_labels:
            return
        has_label = False
    expected = [(trace, expected_place(sheet, trace)) for trace in wanted.own.traces]
    if not has_label:
        yield from at_position(wanted, sheet, pages, expected)
        return
    for label in _occurrences(wanted, sheet, expected):
        if wanted.own.type == "yes_no" and (answer := ticked(sheet, label)):
            yield answer
            continue
        for found, span in _beside_label(wanted, sheet, label, expected):
            factor = label_quality(label) * _direction(wanted, span) * _near(sheet, found, expected)
            scored = found.scored(factor * _page_factor(wanted, sheet, pages))
            yield _labeled(scored, label)


def _labeled(found: Found, label: Label) -> Found:
    return replace(found, label=label.piece.text[label.start : label.end])


def _occurrences(wanted: Wanted, sheet: Sheet, expected: Sequence[tuple[Trace, Expected | None]]) -> Sequence[Label]:
    """Return the places of the labels of a field: all, or the one where its neighbors expect it."""
    labels = sheet.labels.get(wanted.role, [])[:MAX_LABELS]
    sure = [(trace, place) for trace, place in expected if place and place.count >= 3 and place.support >= 0.35]
    if len(labels) < 2 or not sure:
        return labels
    trace, place = max(sure, key=lambda each: each[1].support)
    return sorted(labels, key=lambda label: _distance_to(sheet, label, trace, place))[:1]


def _distance_to(sheet: Sheet, label: Label, trace: Trace, place: Expected) -> float:
    box = label.piece.part(label.start, label.end)
    across = abs(box.left - place.left) if trace.place == "below" else max(0.0, box.left - place.left)
    return across / sheet.text.width + 2.5 * abs(box.middle - place.middle) / sheet.text.height


def _beside_label(
    wanted: Wanted, sheet: Sheet, label: Label, expected: Sequence[tuple[Trace, Expected | None]]
) -> Iterator[tuple[Found, Span]]:
    """Yield the values of a label. Without an example the first in a row is surer than those after it."""
    factor = 1.0
    for span in _spans(wanted, sheet, label, expected):
        found = found_in(wanted, sheet, span)
        if found is None:
            continue
        if wanted.own.type == "text" and wanted.max_lines > 1:
            found = continued(wanted, sheet, found, wanted.neighbors)
        yield found.scored(factor), span
        factor *= 1.0 if expected else LATER_IN_ROW
        if span.direction == "inline":
            return


def _spans(
    wanted: Wanted, sheet: Sheet, label: Label, expected: Sequence[tuple[Trace, Expected | None]]
) -> Iterator[Span]:
    place = wanted.own.place
    inline = sheet.labeled.inline(label)
    inline = without_brackets(inline) if inline is not None else None
    if place != "below":
        if inline is not None:
            yield inline
        for piece in sheet.text.beside(label.piece.box)[:6]:
            if sheet.labeled.is_label(piece) or is_key(piece.text):
                break
            span = Span(piece, 0, len(piece.text), "beside")
            if _is_static(wanted, sheet, span, expected):
                break
            yield span
            if wanted.own.type == "text":
                break
    if place != "right":
        reach = REACH_LINES if any(trace.place == "below" for trace, _ in expected) else UNTAUGHT_REACH_LINES
        for piece in below_of(sheet, label.piece.part(label.start, label.end), reach):
            span = Span(piece, 0, len(piece.text), "below")
            if sheet.labeled.is_label(piece) or is_key(piece.text) or _is_static(wanted, sheet, span, expected):
                break
            yield span
            break


def _is_static(wanted: Wanted, sheet: Sheet, span: Span, expected: Sequence[tuple[Trace, Expected | None]]) -> bool:
    """Return whether a piece is a label or a text around the value, and not where the value is expected."""
    if fingerprint(head_of(span.piece.text)) not in wanted.neighbors and not is_known_label(span.piece.text):
        return False
    return not any(
        place
        and abs(span.piece.box.left - place.left) <= 0.02 * sheet.text.width
        and abs(span.piece.box.middle - place.middle) <= 0.6 * sheet.text.line_height
        for _, place in expected
    )


def _direction(wanted: Wanted, span: Span) -> float:
    taught = {trace.place for trace in wanted.own.traces if trace.place in ("right", "below")}
    if not taught:
        return USUAL[span.direction]
    if DIRECTIONS[span.direction] in taught:
        return 1.0
    return 0.45 if wanted.own.type == "text" else 0.7


def _near(sheet: Sheet, found: Found, expected: Sequence[tuple[Trace, Expected | None]]) -> float:
    """Return how near a value is to where its neighbors expect it: 1 if it is there, or if nothing is expected."""
    factors = []
    box = found.parts[0].box
    for trace, place in expected:
        if place is None or place.count < 2:
            continue
        width = (trace.position[2] - trace.position[0]) * sheet.text.width
        across = min(abs(box.left - place.left), abs(box.right - place.left - width)) / (0.15 * sheet.text.width)
        down = abs(box.middle - place.middle) / (5 * sheet.text.line_height)
        factors.append(1.0 - 0.35 * place.support * min(1.0, across * across + down * down))
    return max(factors, default=1.0)


def _page_factor(wanted: Wanted, sheet: Sheet, pages: int) -> float:
    traces = wanted.own.traces
    if not traces or any(sheet.number == trace.page or pages - sheet.number == trace.from_end for trace in traces):
        return 1.0
    return 0.93
