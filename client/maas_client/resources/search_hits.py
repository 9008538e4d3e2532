"""The pages and documents that a search found."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from maas_client.resources.classifications import Classification
from maas_client.resources.json_values import Box, Json, box_of


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A page that a search found, or a document whose name has the words."""

    job: str
    document: str | None
    """The document. It is None for input that was sent without one."""
    page: int | None
    """The number of the page. It is None if the name of the document has the words."""
    name: str | None
    """The name of the document."""
    model: str
    document_class: Classification | None
    score: float | None
    """The similarity in meaning, from 0.25 to 1. None in a search by words."""
    text: str
    """The text around the first found word."""
    marks: tuple[tuple[int, int], ...]
    """The start and end of each found word in the text: `hit.text[start:end]`."""
    boxes: tuple[Box, ...] | None
    """The lines that have the words. None if the lines of the page have no boxes."""
    picture: str | None
    """The path of the page's picture, on which the boxes lie."""
    created_at: datetime

    @classmethod
    def from_json(cls, body: Json) -> Self:
        boxes = body["boxes"]
        return cls(
            job=body["job"],
            document=body["document"],
            page=body["page"],
            name=body["name"],
            model=body["model"],
            document_class=Classification.from_json(body["class"]),
            score=body["score"],
            text=body["excerpt"]["text"],
            marks=tuple((mark["start"], mark["end"]) for mark in body["excerpt"]["marks"]),
            boxes=None if boxes is None else tuple(box for corners in boxes if (box := box_of(corners))),
            picture=body["picture"],
            created_at=datetime.fromisoformat(body["created_at"]),
        )
