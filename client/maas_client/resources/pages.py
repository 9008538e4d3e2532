"""A page of a job with its result."""

from dataclasses import dataclass, field
from typing import Self

from maas_client.resources.classifications import Classification
from maas_client.resources.codes import Code
from maas_client.resources.corrections import Correction
from maas_client.resources.costs import Cost
from maas_client.resources.json_values import Json
from maas_client.resources.lines import Block, Line
from maas_client.resources.marks import Mark
from maas_client.resources.page_warnings import PageWarning
from maas_client.resources.pairs import Pair
from maas_client.resources.problems import Problem
from maas_client.resources.tables import Table


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a job, finished or not. `data` has all that the model returned; the common fields are properties."""

    number: int
    state: str
    error: Problem | None
    attempts: int
    cost: Cost
    cached: bool
    """The result was cached, so the page did not run."""
    data: Json = field(repr=False)
    """The page as the service sent it."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            number=body["number"],
            state=body["state"],
            error=Problem.from_json(body["error"]),
            attempts=body["attempts"],
            cost=Cost.from_json(body["cost"]),
            cached=body.get("cached", False),
            data=body,
        )

    @property
    def text(self) -> str:
        return str(self.data.get("text", ""))

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(Line.from_json(line) for line in self.data.get("lines", ()))

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Return the lines in their order, as paragraphs, headings and so on."""
        return tuple(Block.from_json(block) for block in self.data.get("blocks", ()))

    @property
    def tables(self) -> tuple[Table, ...]:
        """Return the tables with their cells, in reading order."""
        return tuple(Table.from_json(table) for table in self.data.get("tables", ()))

    @property
    def quality(self) -> float | None:
        """Say how well the page was read, from 0 to 1."""
        return self.data.get("quality")

    @property
    def needs_review(self) -> bool:
        """Say whether a person should check the page."""
        return self.data.get("needs_review") is True

    @property
    def warnings(self) -> tuple[PageWarning, ...]:
        return tuple(PageWarning.from_json(warning) for warning in self.data.get("warnings", ()))

    @property
    def codes(self) -> tuple[Code, ...]:
        return tuple(Code.from_json(code) for code in self.data.get("codes", ()))

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Return the tick boxes and radio buttons from the top of the page."""
        return tuple(Mark.from_json(mark) for mark in self.data.get("marks", ()))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Return the values that have a name, such as filled-in form fields."""
        return tuple(Pair.from_json(pair) for pair in self.data.get("pairs", ()))

    @property
    def rotation(self) -> int:
        """Return the degrees clockwise by which the page's picture was turned to be upright: 0, 90, 180 or 270."""
        return int(self.data.get("rotation", 0))

    @property
    def angle(self) -> float:
        """Return the skew in degrees that was taken out after the turn."""
        return float(self.data.get("angle", 0.0))

    @property
    def page_class(self) -> Classification | None:
        """Return the kind of document that the page looks like, with probabilities."""
        return Classification.from_json(self.data.get("class"))

    @property
    def label(self) -> str | None:
        """Return the label of the page's class."""
        found = self.page_class
        return found.label if found else None

    @property
    def corrections(self) -> tuple[Correction, ...]:
        return tuple(Correction.from_json(correction) for correction in self.data.get("corrections", ()))

    @property
    def embedding(self) -> list[float] | None:
        return self.data.get("embedding")

    @property
    def embeddings(self) -> list[list[float]] | None:
        """Return one embedding for each text of the submitted list."""
        return self.data.get("embeddings")

    @property
    def outputs(self) -> list[Json] | None:
        """Return the tensors that an ONNX graph returned."""
        return self.data.get("outputs")
