"""Decides the class of a document from the class probabilities of its pages, and from what people corrected."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Probabilities = Mapping[str, float]

UNSURE = "unsure"
"""The label of a document or page whose best class is not probable enough."""
MIN_PROBABILITY = 0.5
FIRST_PAGE_WEIGHT = 2
"""The first page says more about the kind of a document than any other: it has the letterhead and the title."""
DOCUMENT = 0
"""The page number of the correction of a whole document."""
MAX_LABELS = 32
USUAL_LABELS = ("invoice", "contract", "letter", "report", "form", "other")
"""The labels that a person may choose whatever the model knows."""
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class DocumentClass:
    label: str
    probabilities: Probabilities
    """The probabilities of the most probable classes, best first, as the model gave them."""
    corrected: bool = False
    """Set if a person chose the label: of the document, or of pages that decide it."""
    class_set: str = ""
    """The version of the tenant's class set whose classes these are. It is empty for those of the model."""

    @classmethod
    def stored(
        cls, label: str, probabilities: Probabilities | None, *, corrected: bool, class_set: str = ""
    ) -> "DocumentClass | None":
        """Return the class that was stored with this label. Postgres does not keep the order of the probabilities."""
        return cls(label, best_first(probabilities or {}), corrected, class_set) if label else None

    @property
    def read_label(self) -> str:
        """Return the label that the model's probabilities stand for. It is empty without probabilities."""
        return class_of(self.probabilities).label if self.probabilities else ""

    def to_json(self) -> dict[str, object]:
        return {
            "label": self.label,
            "probabilities": dict(self.probabilities),
            "corrected": self.corrected,
            **({"class_set": self.class_set} if self.class_set else {}),
        }


def class_with_corrections(
    pages: Iterable[tuple[int, Probabilities]], corrected: Mapping[int, str], own: DocumentClass | None = None
) -> DocumentClass | None:
    """Return the class of a document with the labels that people corrected, by page number, 0 for the document.

    The label of the document counts before those of its pages. A corrected page is of its class with certainty. `own`
    is the class that a class set gave to the document.
    """
    read = dict(pages)
    found = own or document_class(read.items())
    probabilities = found.probabilities if found else {}
    class_set = own.class_set if own else ""
    if DOCUMENT in corrected:
        return DocumentClass(corrected[DOCUMENT], probabilities, corrected=True, class_set=class_set)
    if not corrected:
        return found
    decided = document_class({**read, **{number: {label: 1.0} for number, label in corrected.items()}}.items())
    if decided is None or (found is not None and found.label == decided.label):
        return found
    return DocumentClass(decided.label, probabilities, corrected=True, class_set=class_set)


def document_class(pages: Iterable[tuple[int, Probabilities]]) -> DocumentClass | None:
    """Return the class of a document: the average over its pages, of which the first counts twice.

    The pages are given by number, without those that have no probabilities. The result does not depend on their order.
    """
    sums: dict[str, float] = {}
    weight = 0
    for number, probabilities in sorted(pages, key=lambda page: page[0]):
        own = FIRST_PAGE_WEIGHT if number == 1 else 1
        weight += own
        for label, probability in probabilities.items():
            sums[label] = sums.get(label, 0.0) + own * probability
    return class_of({label: total / weight for label, total in sums.items()}) if sums else None


def class_of(probabilities: Probabilities) -> DocumentClass:
    """Return the class that these probabilities, at least one, stand for."""
    ordered = list(best_first(probabilities).items())
    label, probability = ordered[0]
    shown = {name: round(value, _DIGITS) for name, value in ordered[:MAX_LABELS]}
    return DocumentClass(label if probability >= MIN_PROBABILITY else UNSURE, shown)


def best_first(probabilities: Probabilities) -> dict[str, float]:
    return dict(sorted(probabilities.items(), key=lambda item: (-item[1], item[0])))
