"""The fields of a document: the candidates of its pages merged, checked against each other, and judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import pairwise

from inference.core.contracts import Json
from inference.fields.candidate import Candidate, corners
from inference.fields.checks import check_dates, check_items, check_rates, check_sums
from inference.fields.choice import chosen, same_name
from inference.fields.dates import Order
from inference.fields.evidence import is_invoice
from inference.fields.identity import squeezed_text
from inference.fields.money import is_tax
from inference.fields.stacks import first_document
from inference.fields.sums import MAX_EXTRAS, OnPage, Sums, choose_sums

TYPES: Mapping[str, str] = {
    "invoice_number": "text",
    "issue_date": "date",
    "due_date": "date",
    "supplier": "text",
    "buyer": "text",
    "order_number": "text",
    "currency": "currency",
    "net": "amount",
    "tax": "amount",
    "total": "amount",
    "iban": "iban",
}
"""The fields in the order of the answer, with the type of each."""
MIN_SCORE: Mapping[str, float] = {"supplier": 0.42, "buyer": 0.5, "issue_date": 0.42, "currency": 0.3}
USUAL_MIN_SCORE = 0.45
CALIBRATION = ((0.0, 0.0), (0.45, 0.4), (0.58, 0.7), (0.7, 0.94), (0.85, 0.97), (1.0, 0.99))
"""The confidence of a certainty. Between these points it is on a line."""
SURE_PARTY = 0.86
"""The score of a party that a label names, or the line of the sender above a window."""
KNOWN_SUPPLIER = 0.7
OTHER_ADDRESS = 0.58
MAX_DAYS_TO_PAY = 200
MONTH_FIRST_COUNTRIES = frozenset({"US"})
UNITED_STATES = "USD"


def document_fields(pages: Sequence[Json | None], corrected_class: str | None = None) -> Json:
    """Return the fields of a document from what `page_candidates` returned for its pages, in order.

    A page that could not be read is None. A document that is no invoice and no receipt has no fields. A class that a
    person gave to the document counts instead of those of its pages. Of several invoices, the first one is read.
    """
    known = [(number, page) for number, page in enumerate(pages, 1) if page is not None]
    if not is_invoice([page for _, page in known], corrected_class):
        return {"fields": [], "tax_rates": [], "line_items": [], "warnings": []}
    first, several = first_document(known)
    found = [OnPage(number, Candidate.of_json(each)) for number, page in first for each in page["candidates"]]
    rates = _rates(first)
    items = [{**item, "page": number} for number, page in first for item in page["line_items"]]
    labeled = [each for each in found if each.candidate.name in ("net", "tax", "total")]
    sums = choose_sums(labeled, _extras(found), rates, items, _values(found, "withheld"))
    fields = [*_texts(found), *_dates(found, date_order([page for _, page in first])), *_money(sums)]
    warnings = [*several, *_sum_warnings(sums, rates, items, found), *_date_warnings(fields)]
    rates = rates or list(_only_rate(sums))
    ordered = sorted(fields, key=lambda field: list(TYPES).index(field["name"]))
    return {"fields": ordered, "tax_rates": rates, "line_items": items, "warnings": warnings}


def _rates(known: Sequence[tuple[int, Json]]) -> list[Json]:
    """Return the taxes by rate. Those of later pages replace those of earlier ones."""
    by_rate = {rate["rate"]: {**rate, "page": number} for number, page in known for rate in page["tax_rates"]}
    return sorted(by_rate.values(), key=lambda rate: -Decimal(rate["rate"]))


def _only_rate(sums: Sums) -> Iterable[Json]:
    """Yield the rate beside the tax of a document if the tax is this share of the net amount."""
    if sums.net is None or sums.tax is None or sums.tax.candidate.rate is None:
        return
    rate, tax = Decimal(sums.tax.candidate.rate), sums.tax.candidate
    if is_tax(sums.net.value, rate, sums.tax.value):
        yield {
            "rate": tax.rate,
            "net": sums.net.candidate.normalized,
            "tax": tax.normalized,
            "box": corners(tax.box),
            "quote": tax.quote,
            "confidence": round(min(tax.confidence, sums.net.candidate.confidence), 3),
            "page": sums.tax.page,
        }


def _texts(found: Sequence[OnPage]) -> Iterable[Json]:
    known: dict[str, str] = {}
    parties = _parties(found)
    for name in ("invoice_number", "order_number", "currency", "iban", "supplier", "buyer"):
        named = parties.get(name) or [each for each in found if each.candidate.name == name]
        if name == "buyer":
            named = [each for each in named if not same_name(each.candidate.value, known.get("supplier"))]
        best = chosen(named, text=name in ("supplier", "buyer"))
        if best is None or best[1] < MIN_SCORE.get(name, USUAL_MIN_SCORE):
            continue
        if name == "order_number" and squeezed_text(best[0].candidate.value) == known.get("invoice_number"):
            continue
        known[name] = squeezed_text(best[0].candidate.value)
        yield _field(best[0], best[1])


def _parties(found: Sequence[OnPage]) -> dict[str, list[OnPage]]:
    """Return the candidates for supplier and buyer, where a name that a label gives to one is not the other's.

    An address without a label is the buyer's if the supplier is known by another name.
    """
    by_name = {name: [each for each in found if each.candidate.name == name] for name in ("supplier", "buyer")}
    for name, other in (("supplier", "buyer"), ("buyer", "supplier")):
        labeled = [each for each in by_name[other] if each.candidate.score >= SURE_PARTY]
        names = [squeezed_text(each.candidate.value) for each in labeled]
        own = {squeezed_text(each.candidate.value) for each in by_name[name] if each.candidate.score >= SURE_PARTY}
        by_name[name] = [
            each
            for each in by_name[name]
            if each.candidate.score >= SURE_PARTY
            or own
            or not any(same_name(each.candidate.value, one) for one in names)
        ]
    if not by_name["supplier"] or max(each.candidate.score for each in by_name["supplier"]) < OTHER_ADDRESS:
        by_name["supplier"] = _others_raised(by_name["supplier"], by_name["buyer"])
    supplier = chosen(by_name["supplier"], text=True)
    if supplier is not None and supplier[1] >= KNOWN_SUPPLIER:
        known = squeezed_text(supplier[0].candidate.value)
        by_name["buyer"] = [
            each
            if same_name(each.candidate.value, known)
            else replace(each, candidate=replace(each.candidate, score=max(each.candidate.score, OTHER_ADDRESS)))
            for each in by_name["buyer"]
        ]
    return by_name


def _others_raised(found: Sequence[OnPage], labeled: Sequence[OnPage]) -> list[OnPage]:
    """Return candidates for a party, those above an address being likelier where a label names the other party."""
    names = [squeezed_text(each.candidate.value) for each in labeled if each.candidate.score >= SURE_PARTY]
    return [
        replace(each, candidate=replace(each.candidate, score=max(each.candidate.score, OTHER_ADDRESS)))
        if names and not any(same_name(each.candidate.value, one) for one in names)
        else each
        for each in found
    ]


def date_order(pages: Sequence[Json]) -> Order | None:
    """Return the order of day and month in numeric dates, by other dates, the language and the country.

    It takes what `page_candidates` returned for the pages.
    """
    votes = {order: sum(page["date_order"].get(order, 0) for page in pages) for order in ("dmy", "mdy")}
    if votes["dmy"] != votes["mdy"]:
        return "dmy" if votes["dmy"] > votes["mdy"] else "mdy"
    languages = [page["language"] for page in pages if page["language"]]
    language = max(set(languages), key=languages.count) if languages else None
    if language not in (None, "en"):
        return "dmy"
    countries = {country for page in pages for country in page["countries"]}
    found = (each for page in pages for each in page["candidates"])
    currencies = {each["normalized"] for each in found if each["name"] == "currency"}
    if countries - MONTH_FIRST_COUNTRIES or currencies & {"GBP", "EUR", "CHF", "AUD", "NZD", "INR", "ZAR"}:
        return "dmy"
    return "mdy" if UNITED_STATES in currencies or countries else None


def _dates(found: Sequence[OnPage], order: Order | None) -> Iterable[Json]:
    issued = chosen([each for each in found if each.candidate.name == "issue_date"])
    issue_day = None
    if issued is not None and issued[1] >= MIN_SCORE["issue_date"]:
        field = _dated(issued, order)
        issue_day = field["normalized"]
        yield field
    due = chosen([each for each in found if each.candidate.name == "due_date"])
    if due is not None and due[1] >= USUAL_MIN_SCORE:
        yield _dated(due, order, issue_day)


def _dated(best: tuple[OnPage, float], order: Order | None, after: str | None = None) -> Json:
    options = best[0].candidate.options
    field = _field(*best)
    if not options:
        return field
    if order is None and after is not None:
        days = [(date.fromisoformat(option) - date.fromisoformat(after)).days for option in options]
        possible = [option for option, day in zip(options, days, strict=True) if 0 <= day <= MAX_DAYS_TO_PAY]
        if len(possible) == 1:
            return {**field, "normalized": possible[0], "confidence": round(0.85 * field["confidence"], 3)}
    if order is None:
        return {**field, "confidence": round(min(0.5, field["confidence"]), 3), "ambiguous": list(options)}
    return {**field, "normalized": options[0 if order == "dmy" else 1]}


def _money(sums: Sums) -> Iterable[Json]:
    for found in (sums.net, sums.tax, sums.total):
        if found is None:
            continue
        certainty = found.candidate.score
        if sums.adds_up:
            certainty = 1 - 0.25 * (1 - certainty)
        elif sums.contradicts:
            certainty *= 0.55
        elif not sums.is_proved:
            certainty *= 0.9
        if certainty >= USUAL_MIN_SCORE:
            yield _field(found, certainty)


def _field(found: OnPage, certainty: float) -> Json:
    each = found.candidate
    return {
        "name": each.name,
        "value": each.value,
        "normalized": each.normalized,
        "type": TYPES[each.name],
        "page": found.page,
        "box": corners(each.box),
        "quote": each.quote,
        "confidence": round(calibrated(certainty * min(1.0, 0.2 + 0.82 * each.confidence)), 3),
    }


def calibrated(certainty: float) -> float:
    """Return the share of fields of a certainty that are right, by what was seen on generated scans."""
    for (low, from_low), (high, from_high) in pairwise(CALIBRATION):
        if certainty <= high:
            return from_low + (from_high - from_low) * max(0.0, certainty - low) / (high - low)
    return CALIBRATION[-1][1]


def _sum_warnings(sums: Sums, rates: Sequence[Json], items: Sequence[Json], found: Sequence[OnPage]) -> Iterable[Json]:
    named = {"net": sums.net, "tax": sums.tax, "total": sums.total}
    values = {name: each.value for name, each in named.items() if each is not None}
    if sums.contradicts:
        yield from check_sums(values)
    yield from check_rates(values, rates)
    yield from check_items(values, items, _bases(sums, found))


def _extras(found: Sequence[OnPage]) -> list[Decimal]:
    return _values(found, "discount", "shipping", "rounding")


def _values(found: Sequence[OnPage], *names: str) -> list[Decimal]:
    return list(dict.fromkeys(each.value for each in found if each.candidate.name in names))[:MAX_EXTRAS]


def _bases(sums: Sums, found: Sequence[OnPage]) -> set[Decimal]:
    """Return the amounts that the lines may make: a sum that is labeled, with or without tax, discount and freight."""
    values = {each.value for each in found if each.candidate.name in ("net", "total")}
    taxes = {each.value for each in found if each.candidate.name == "tax"}
    values |= {total - tax for total in values for tax in taxes}
    steps = {Decimal(0)}
    for extra in _extras(found):
        steps |= {step + sign * extra for step in steps for sign in (1, -1)}
    return {value + step for value in values for step in steps}


def _date_warnings(fields: Sequence[Json]) -> Iterable[Json]:
    days = {field["name"]: field["normalized"] for field in fields if field["type"] == "date" and field["normalized"]}
    return check_dates(days)
