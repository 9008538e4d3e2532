"""The definition of a tenant's own field, and the trace that is kept of a value that a person pointed at."""

from collections.abc import Mapping
from dataclasses import dataclass

from inference.core.contracts import Json

TYPES = (
    "text",
    "number",
    "amount",
    "date",
    "identifier",
    "iban",
    "vat_number",
    "email",
    "phone",
    "yes_no",
)
PLACES = ("label", "right", "below", "column", "position")
"""The places of a value: `label` is right of its label or below it, `column` each row of a table's column, and
`position` the same place on the page."""


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A text near a value, by which its place is known again. Of its letters only a fingerprint is kept."""

    fingerprint: str
    across: float
    """The distance from the left of the value to its left, as a share of the page's width."""
    down: float
    """The distance from the middle of the value to its middle, as a share of the page's height."""

    def as_json(self) -> Json:
        return [self.fingerprint, round(self.across, 4), round(self.down, 4)]

    @classmethod
    def of_json(cls, stored: Json) -> "Neighbor":
        fingerprint, across, down = stored
        return cls(str(fingerprint), float(across), float(down))


@dataclass(frozen=True, slots=True)
class Trace:
    """A record of what was learned from pointing at a value once. The value itself is not kept, only its shape."""

    label: str
    """The label as it is printed. It is empty if the value has none."""
    place: str
    """The direction from the label to the value: `right`, `below`, `column`, or `position` without a label."""
    position: tuple[float, float, float, float]
    """The left, top, right and bottom of the value, as shares of the page's width and height."""
    page: int
    """The number of the page, from 1."""
    from_end: int
    """The number of the pages after it."""
    shape: str
    """The value with `A`, `a` and `9` for capital letters, small letters and digits, such as `AA-9999`."""
    neighbors: tuple[Neighbor, ...] = ()
    after: str = ""
    """The fingerprint of the word that follows the value in its line."""
    date_order: str = ""
    """`dmy` or `mdy` if the page shows in which order day and month are written."""
    decimal: str = ""
    """The decimal sign of the page, if it shows one."""

    def as_json(self) -> Json:
        return {
            "label": self.label,
            "place": self.place,
            "position": [round(share, 4) for share in self.position],
            "page": self.page,
            "from_end": self.from_end,
            "shape": self.shape,
            "neighbors": [neighbor.as_json() for neighbor in self.neighbors],
            "after": self.after,
            "date_order": self.date_order,
            "decimal": self.decimal,
        }

    @classmethod
    def of_json(cls, stored: Mapping[str, Json]) -> "Trace":
        """Return a trace as it was stored. What an earlier version did not store is empty."""
        left, top, right, bottom = map(float, stored["position"])
        return cls(
            label=str(stored["label"]),
            place=str(stored["place"]),
            position=(left, top, right, bottom),
            page=int(stored["page"]),
            from_end=int(stored["from_end"]),
            shape=str(stored["shape"]),
            neighbors=tuple(map(Neighbor.of_json, stored.get("neighbors", ()))),
            after=str(stored.get("after", "")),
            date_order=str(stored.get("date_order", "")),
            decimal=str(stored.get("decimal", "")),
        )


@dataclass(frozen=True, slots=True)
class OwnField:
    name: str
    type: str
    """One of TYPES."""
    labels: tuple[str, ...]
    """The texts that stand beside the value, as they may be printed."""
    place: str
    """One of PLACES."""
    classes: tuple[str, ...] = ()
    """The classes of documents that have the field. The caller of `find` leaves out those of other classes."""
    traces: tuple[Trace, ...] = ()

    @property
    def all_labels(self) -> tuple[str, ...]:
        """Return the labels that were given and those that were learned, each once."""
        learned = (trace.label for trace in self.traces)
        return tuple(dict.fromkeys(label for label in (*self.labels, *learned) if label.strip()))
