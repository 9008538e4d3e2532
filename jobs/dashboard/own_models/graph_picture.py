"""The picture of a pipeline: its steps in columns by what they need, and arrows to those that use each."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from inference.registry.models import ModelVersion
from inference.runtime.parameters import GRAPH

State = ModelVersion.State
WIDTH, HEIGHT = 150, 44
GAP_X, GAP_Y = 46, 18
INPUT, PARAMETERS, OUTPUT = "input", "parameters", "output"
SHOWN = 20
"""The characters of a name that fit into a box."""


@dataclass(frozen=True)
class Box:
    name: str
    what: str
    kind: str
    x: int
    y: int
    needs: tuple[str, ...]
    """The names of the boxes whose values it uses."""

    @property
    def shown_name(self) -> str:
        return _short(self.name)

    @property
    def shown_what(self) -> str:
        return _short(self.what)

    @property
    def middle(self) -> int:
        return self.x + WIDTH // 2

    @property
    def first_line(self) -> int:
        return self.y + (19 if self.what else 27)

    @property
    def second_line(self) -> int:
        return self.y + 35


@dataclass(frozen=True)
class Arrow:
    x1: int
    y1: int
    x2: int
    y2: int
    lane: int | None = None
    """The height between two rows in which it passes boxes that are in its way."""

    @property
    def path(self) -> str:
        if self.lane is None:
            return f"M{self.x1} {self.y1} {_curve(self.x1, self.y1, self.x2, self.y2)}"
        down, up = self.x1 + GAP_X, self.x2 - GAP_X
        start, end = _curve(self.x1, self.y1, down, self.lane), _curve(up, self.lane, self.x2, self.y2)
        return f"M{self.x1} {self.y1} {start} H{up} {end}"


@dataclass(frozen=True)
class GraphPicture:
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    width: int
    height: int

    @property
    def outer_width(self) -> int:
        return self.width + 8

    @property
    def outer_height(self) -> int:
        return self.height + 8


@dataclass
class _Steps:
    """The boxes of a declaration, in its order, before they have places."""

    members: Mapping[str, str]
    found: dict[str, tuple[str, str, tuple[str, ...]]] = field(default_factory=dict)

    def read(self, block: Mapping[str, Any]) -> None:
        for step in block["steps"]:
            sources = [*step.get("inputs", {}).values()]
            if step["kind"] == "model":
                sources += step.get("parameters", {}).values()
                self._add(step["name"], self.members.get(step["role"], step["role"]), "model", sources)
            elif step["kind"] == "branch":
                self._read_branch(step)
            else:
                self._add(step["name"], step["operation"], "operation", sources)

    def _read_branch(self, step: Mapping[str, Any]) -> None:
        sides = (step["then"], step["else"])
        for side in sides:
            self.read({"steps": (), **side})
        sources = [side["output"] for side in sides]
        condition = step["if"]
        self._add(step["name"], _condition(condition), "branch", [*sources, condition.get("value", INPUT)])

    def _add(self, name: str, what: str, kind: str, sources: list[Any]) -> None:
        needs = dict.fromkeys(used for source in sources for used in _used(source))
        self.found[name] = (what, kind, tuple(needs))


def graph_picture(declared: Mapping[str, Any], members: Mapping[str, str]) -> GraphPicture:
    """Return the picture of a declaration that was checked. `members` are the versions by role."""
    steps = _Steps(members, {INPUT: (", ".join(declared["accepts"]), INPUT, ())})
    steps.read(declared)
    steps.found[OUTPUT] = ("", OUTPUT, tuple(dict.fromkeys(_used(declared["output"]))))
    columns = _columns({name: needs for name, (_, _, needs) in steps.found.items()})
    boxes = _placed(steps.found, columns)
    arrows = tuple(_arrow(boxes[need], box, boxes.values()) for box in boxes.values() for need in box.needs)
    width = max(box.x for box in boxes.values()) + WIDTH
    height = max(*(box.y + HEIGHT for box in boxes.values()), *(arrow.lane or 0 for arrow in arrows))
    return GraphPicture(tuple(boxes.values()), arrows, width, height)


def picture_of(version: ModelVersion) -> GraphPicture | None:
    """Return the picture of a version that is a pipeline and was checked."""
    if version.runtime != GRAPH or version.state != State.READY:
        return None
    return graph_picture(version.config["graph"], version.lineage.get("members", {}))


def newest_picture(versions: Iterable[ModelVersion]) -> GraphPicture | None:
    """Return the picture of the newest version that has one. The newest come first."""
    return next(filter(None, map(picture_of, versions)), None)


def _columns(needs: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Return the column of each box: right of all that it needs. Earlier boxes never need later ones."""
    columns: dict[str, int] = {}
    for name, needed in needs.items():
        columns[name] = max((columns[other] + 1 for other in needed), default=0 if name == INPUT else 1)
    columns[OUTPUT] = max(columns.values())
    return columns


def _placed(found: Mapping[str, tuple[str, str, tuple[str, ...]]], columns: Mapping[str, int]) -> dict[str, Box]:
    rows: dict[int, int] = {}
    boxes = {}
    for name, (what, kind, needs) in found.items():
        column = columns[name]
        row = rows.get(column, 0)
        rows[column] = row + 1
        boxes[name] = Box(name, what, kind, column * (WIDTH + GAP_X), row * (HEIGHT + GAP_Y), needs)
    return boxes


def _arrow(start: Box, end: Box, boxes: Iterable[Box]) -> Arrow:
    """Return the arrow, below the boxes between the two that lie in the rows that it would cross."""
    top, bottom = sorted((start.y, end.y))
    passed = [box.y for box in boxes if start.x < box.x < end.x and top <= box.y <= bottom]
    lane = max(passed) + HEIGHT + GAP_Y // 2 if passed else None
    return Arrow(start.x + WIDTH, start.y + HEIGHT // 2, end.x, end.y + HEIGHT // 2, lane)


def _curve(x1: int, y1: int, x2: int, y2: int) -> str:
    middle = (x1 + x2) // 2
    return f"C{middle} {y1} {middle} {y2} {x2} {y2}"


def _used(source: Any) -> Iterator[str]:
    """Yield the names that a source refers to, without parameters, which callers set."""
    if isinstance(source, str):
        name = source.partition(".")[0]
        if name != PARAMETERS:
            yield name
    elif isinstance(source, Mapping) and set(source) != {"constant"}:
        for nested in source.values():
            yield from _used(nested)


def _condition(condition: Mapping[str, Any]) -> str:
    if "input_is" in condition:
        return f"input is {condition['input_is']}"
    ((test, value),) = ((name, value) for name, value in condition.items() if name != "value")
    return f"{condition['value']} {test.replace('_', ' ')} {value}"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
