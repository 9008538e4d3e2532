"""Documents of each kind, by number: the first is the example, the others are unseen ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tests.benchmarks.own_fields import held_out_kinds, known_forms, known_kinds, known_stacks
from tests.benchmarks.own_fields.contents import Contents
from tests.benchmarks.own_fields.pen import Pen, TrueDocument


@dataclass(frozen=True)
class Kind:
    print_: Callable[[Pen, Contents], None]
    language: str
    font: str = "Helvetica"
    size: float = 10.0
    columns: frozenset[str] = frozenset()
    """The fields that are columns of a table."""


KNOWN: Mapping[str, Kind] = {
    "delivery note": Kind(known_kinds.delivery_note, "de", columns=frozenset({"articles", "amounts"})),
    "lab report": Kind(known_kinds.lab_report, "en", "Times", 11),
    "timesheet": Kind(known_kinds.timesheet, "nl", columns=frozenset({"projects", "hours"})),
    "meter form": Kind(known_kinds.meter_form, "fr", "Helvetica", 11),
    "rental contract": Kind(known_kinds.rental_contract, "it", "Times", 11.5),
    "tax assessment": Kind(known_forms.tax_assessment, "de"),
    "inspection report": Kind(known_forms.inspection_report, "en", "Courier", 9.5),
    "waybill": Kind(known_forms.waybill, "nl"),
    "school report": Kind(known_forms.school_report, "es", "Times", 11),
    "bank statement": Kind(known_stacks.bank_statement, "en", size=9, columns=frozenset({"payments"})),
    "admission form": Kind(known_stacks.admission_form, "es", size=11),
}
HELD_OUT: Mapping[str, Kind] = {
    "insurance letter": Kind(held_out_kinds.insurance_letter, "en", "Times", 11),
    "vehicle registration": Kind(held_out_kinds.vehicle_registration, "de", "Courier", 9.5),
    "customs form": Kind(held_out_kinds.customs_form, "es"),
    "pay slip": Kind(held_out_kinds.pay_slip, "fr", "Helvetica", 9.5),
    "certificate": Kind(held_out_kinds.certificate, "en", "Times", 12),
}


def document(name: str, number: int) -> TrueDocument:
    """Return a document of a kind. Number 0 is the example, which has every field."""
    kind = {**KNOWN, **HELD_OUT}[name]
    chance = Random(f"{name} {number}")
    pen = Pen(chance, kind.font, kind.size, is_complete=number == 0)
    kind.print_(pen, Contents(chance, kind.language))
    return pen.done()
