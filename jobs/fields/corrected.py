"""Puts what people corrected into the fields of a document, and checks them again. This module is pure.

The fields as they were read stay beside the corrected ones, under `read`, until the last correction is undone.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from inference.fields.amounts import decimal_sign
from inference.fields.checks import CONTRADICT, SUMS, check_dates, check_items, check_rates, check_sums, warning
from inference.fields.dates import Order
from inference.fields.document import TYPES
from inference.fields.identifiers import iban_fault
from inference.fields.normalizing import normalized_value, order_of, possible_dates
from inference.own_fields.values import Style, values_in
from jobs.fields.lines import ChangedValue, CorrectedLine, values_on

Fields = Mapping[str, Any]
"""The fields of a job as it stores them: `fields`, `tax_rates`, `line_items` and `warnings`."""
READ = "read"
NO_FIELDS: Fields = {"fields": [], "tax_rates": [], "line_items": [], "warnings": []}
_KEPT = ("value", "normalized", "page", "box", "quote", "confidence")
"""The part of a corrected field about the one that was read."""
_OF_OWN_FIELDS = ("number", "email", "phone", "yes_no")
"""The types that only fields have that a tenant defined."""


@dataclass(frozen=True, slots=True)
class CorrectedField:
    name: str
    value: str
    """The corrected value. It is empty if the document has no such field."""
    type: str
    page: int
    box: Any = None
    own: bool = False
    """Whether it is a field that the tenant defined."""
    index: int | None = None
    """The position of the value among those that were read, if the correction is of one of several."""
    original: str = ""
    """The value that was read. One of several is sought by it, if another is read at the position by now."""
    quote: str | None = None
    """The line of the value, if it was corrected. Otherwise it is as it was read."""


def as_read(stored: Fields | None) -> Fields | None:
    """Return the fields as they were read."""
    if stored is None or READ not in stored:
        return stored
    read = stored[READ]
    return None if read is None else {name: value for name, value in {**stored, **read}.items() if name != READ}


def with_corrections(read: Fields | None, corrections: Sequence[CorrectedField | CorrectedLine]) -> Fields | None:
    """Return the fields with what people corrected in them and in their lines, or as they were read without any."""
    found = read or NO_FIELDS
    before = found["fields"]
    by_place, added = _targets(before, corrections)
    if not by_place and not added:
        return read
    kept = [
        field if place not in by_place else _field(by_place[place], before, field)
        for place, field in enumerate(before)
        if place not in by_place or by_place[place].value
    ]
    fields = [*kept, *(_field(each, before, None) for each in added if each.value)]
    changed = {**found, "fields": sorted(fields, key=lambda field: _place(field, before))}
    stored = None if read is None else {"fields": before, "warnings": read["warnings"]}
    names = {each.name for each in (*by_place.values(), *added)}
    return {**changed, "warnings": _checked_again(changed, names), READ: stored}


def _targets(
    read: Sequence[Mapping[str, Any]], corrections: Sequence[CorrectedField | CorrectedLine]
) -> tuple[dict[int, CorrectedField], list[CorrectedField]]:
    """Return the corrections by the positions of the fields that they are of, and those of fields that were missed."""
    by_place: dict[int, CorrectedField] = {}
    added: list[CorrectedField] = []
    for each in (each for each in corrections if isinstance(each, CorrectedField)):
        own = [place for place, field in enumerate(read) if field["name"] == each.name]
        if each.index is not None and len(own) > 1:
            place = _place_of(each, own, read)
            by_place |= {place: each} if place is not None else {}
        elif own:
            by_place |= {own[0]: each, **dict.fromkeys(own[1:], replace(each, value=""))}
        else:
            added.append(each)
    lines = [each for each in corrections if isinstance(each, CorrectedLine)]
    followed = ((place, each) for place, each in values_on(lines, read) if place not in by_place)
    return {**by_place, **{place: _followed(each) for place, each in followed}}, added


def _place_of(corrected: CorrectedField, own: Sequence[int], read: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the place of the value that was corrected, or None if it is not read any more."""
    same = [place for place in own if read[place]["value"] == corrected.original]
    at_index = own[corrected.index] if corrected.index is not None and corrected.index < len(own) else None
    return at_index if at_index in same else next(iter(same), None)


def _followed(changed: ChangedValue) -> CorrectedField:
    field = changed.field
    own = field.get("own") is True
    return CorrectedField(field["name"], changed.value, field["type"], field["page"], own=own, quote=changed.quote)


def normalized_in(fields: Iterable[Mapping[str, Any]], kind: str, value: str) -> str | None:
    """Return the normalized form of a value in the document with these fields, which show how it writes numbers."""
    found = list(fields)
    decimal = decimal_sign([field["value"] for field in found if field["type"] == "amount"])
    if kind in _OF_OWN_FIELDS:
        values = list(values_in(value, kind, Style(_order(found), decimal)))
        return values[0].normalized if len(values) == 1 else None
    return normalized_value(kind, value, order=_order(found), decimal=decimal)


def _place(field: Mapping[str, Any], read: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the position in the usual order. A tenant's own fields follow, in the order in which they were read."""
    usual, names = list(TYPES), [one["name"] for one in read]
    name = field["name"]
    known = usual.index(name) if name in TYPES else len(usual)
    return known, names.index(name) if name in names else len(names)


def _field(
    corrected: CorrectedField, read: Sequence[Mapping[str, Any]], before: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return a corrected field. `before` is the one that was read in its place, if any was."""
    same_place = before is not None and corrected.box is None
    confirmed = before is not None and before["value"] == corrected.value
    normalized = before["normalized"] if before is not None and confirmed else None
    field: dict[str, Any] = {
        "name": corrected.name,
        "value": corrected.value,
        "normalized": normalized or normalized_in(read, corrected.type, corrected.value),
        "type": corrected.type,
        "page": before["page"] if before is not None and same_place else corrected.page,
        "box": before["box"] if before is not None and same_place else corrected.box,
        "quote": before["quote"] if before is not None and same_place else "",
        "confidence": 1.0,
        "corrected": True,
        "read": None if before is None else {name: before[name] for name in _KEPT},
    }
    if before is not None and corrected.quote is not None:
        field["quote"] = corrected.quote
    if before is not None and "index" in before:
        field["index"] = before["index"]
    if corrected.type == "date" and field["normalized"] is None:
        field["ambiguous"] = possible_dates(corrected.value)
    return {**field, "own": True} if corrected.own else field


def _order(fields: Iterable[Mapping[str, Any]]) -> Order | None:
    dates = [field for field in fields if field["type"] == "date" and field["normalized"]]
    votes = [order for field in dates if (order := order_of(field["value"], field["normalized"]))]
    return votes[0] if votes and len(set(votes)) == 1 else None


def _checked_again(found: Fields, corrected: Collection[str]) -> list[Any]:
    """Return the warnings of the read fields that do not concern corrected ones, and those of the corrected ones."""
    names = set(corrected)
    kept = [one for one in found["warnings"] if one["code"] != CONTRADICT or not names & set(one.get("fields", names))]
    return [*kept, *(one for one in _contradictions(found) if names & set(one["fields"]))]


def _contradictions(found: Fields) -> Iterable[Any]:
    fields = {field["name"]: field for field in found["fields"]}
    known = {name: field["normalized"] for name, field in fields.items() if field["normalized"]}
    sums = {name: Decimal(known[name]) for name in SUMS if name in known}
    yield from check_sums(sums)
    yield from check_rates(sums, found["tax_rates"])
    bases = [sums[name] for name in ("net", "total") if name in sums]
    if "total" in sums and "tax" in sums:
        bases.append(sums["total"] - sums["tax"])
    yield from check_items(sums, found["line_items"], bases)
    yield from check_dates({name: known[name] for name in ("issue_date", "due_date") if name in known})
    for name, field in fields.items():
        if field["type"] == "iban" and not field["normalized"]:
            yield warning(f"The IBAN {field['value'][:40]} {iban_fault(field['value'])}", (name,))
