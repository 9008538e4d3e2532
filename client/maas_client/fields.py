"""An account's own fields: what they are, what they find, and the calls about them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self, TypedDict, Unpack

from maas_client.calls import Calls, Part
from maas_client.exchange import Flow, Request

Json = Mapping[str, Any]
PATH = "/v1/fields"
APPLIED = 50
"""The number of jobs in a request that looks through earlier documents."""


class Spot(TypedDict, total=False):
    """A value on the picture of a page. `box` is four corners, or left, top, right and bottom in pixels."""

    job: str
    page: int
    box: Sequence[object]


class FieldSettings(TypedDict, total=False):
    """The settings of a field. What a new field leaves out is as its first example shows it."""

    title: str
    type: str
    labels: Sequence[str]
    place: str
    classes: Sequence[str]
    examples: Sequence[Spot]
    """The values that it is learned from. An existing field takes them by `add_example`."""


@dataclass(frozen=True, slots=True)
class OwnField:
    id: str
    name: str
    title: str
    type: str
    labels: list[str]
    place: str
    classes: list[str]
    examples: list[Json]
    livemode: bool
    created_at: datetime
    updated_at: datetime

    @classmethod
    def from_json(cls, body: Json) -> Self:
        moments: dict[str, Any] = {name: datetime.fromisoformat(body[name]) for name in ("created_at", "updated_at")}
        kept = {name: body[name] for name in cls.__slots__ if name not in moments}
        return cls(**kept, **moments)


@dataclass(frozen=True, slots=True)
class TriedDocument:
    job: str
    document: str
    name: str
    in_class: bool
    """Say whether documents of its class have the field."""
    values: list[Json]
    """The values as in `fields` of a result. The list is empty if nothing was found."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(**{name: body[name] for name in cls.__slots__})


@dataclass(frozen=True, slots=True)
class FieldTrial:
    """A trial of a field on the last documents, newest first."""

    tried: int
    found: int
    documents: list[TriedDocument]

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["tried"], body["found"], [TriedDocument.from_json(one) for one in body["documents"]])


class FieldCalls:
    """The calls as flows."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def listed(self) -> Flow[Part[OwnField]]:
        return self._calls.listed(PATH, {}, OwnField.from_json)

    def get(self, name: str) -> Flow[OwnField]:
        return self._calls.shaped(Request("GET", f"{PATH}/{name}"), OwnField.from_json)

    def create(self, name: str, settings: FieldSettings) -> Flow[OwnField]:
        return self._calls.shaped(Request("POST", PATH, json={"name": name, **settings}), OwnField.from_json)

    def change(self, name: str, settings: FieldSettings) -> Flow[OwnField]:
        return self._calls.shaped(Request("PATCH", f"{PATH}/{name}", json=settings), OwnField.from_json)

    def delete(self, name: str) -> Flow[None]:
        yield from self._calls.ask(Request("DELETE", f"{PATH}/{name}"))

    def add_example(self, name: str, spot: Spot) -> Flow[Json]:
        return self._calls.shaped(Request("POST", f"{PATH}/{name}/examples", json=spot), dict)

    def delete_example(self, name: str, example_id: str) -> Flow[None]:
        yield from self._calls.ask(Request("DELETE", f"{PATH}/{name}/examples/{example_id}"))

    def point(self, spot: Spot) -> Flow[Json]:
        return self._calls.shaped(Request("POST", f"{PATH}/point", json=spot), dict)

    def attempt(self, name: str | None, documents: int, settings: FieldSettings) -> Flow[FieldTrial]:
        body = {"name": name, "field": settings or None, "documents": documents}
        given = {key: value for key, value in body.items() if value is not None}
        return self._calls.shaped(Request("POST", f"{PATH}/try", json=given), FieldTrial.from_json)

    def apply(self) -> Flow[int]:
        """Look through all earlier documents and return the number of jobs whose fields changed."""
        changed, more = 0, True
        cursor: dict[str, str] = {}
        while more:
            asked = Request("POST", f"{PATH}/apply", json={"limit": APPLIED, **cursor})
            piece = yield from self._calls.shaped(asked, dict)
            changed, more, cursor = changed + piece["changed"], piece["has_more"], {"cursor": piece["next_cursor"]}
        return changed


class Fields:
    """The fields of the account, as `client.fields`."""

    def __init__(
        self, calls: Calls, play: Callable[[Flow[Any]], Any], each: Callable[[Flow[Part[Any]]], Iterator[Any]]
    ) -> None:
        self._calls, self._play, self._each = FieldCalls(calls), play, each

    def list(self) -> Iterator[OwnField]:
        return self._each(self._calls.listed())

    def get(self, name: str) -> OwnField:
        found: OwnField = self._play(self._calls.get(name))
        return found

    def create(self, name: str, **settings: Unpack[FieldSettings]) -> OwnField:
        """Define a field from `examples` on pages, or from `labels`."""
        made: OwnField = self._play(self._calls.create(name, settings))
        return made

    def change(self, name: str, **settings: Unpack[FieldSettings]) -> OwnField:
        changed: OwnField = self._play(self._calls.change(name, settings))
        return changed

    def delete(self, name: str) -> None:
        self._play(self._calls.delete(name))

    def add_example(self, name: str, spot: Spot) -> Json:
        added: Json = self._play(self._calls.add_example(name, spot))
        return added

    def delete_example(self, name: str, example_id: str) -> None:
        self._play(self._calls.delete_example(name, example_id))

    def point(self, spot: Spot) -> Json:
        """Return what is read at a place, its label, and the guessed type. Nothing is written."""
        seen: Json = self._play(self._calls.point(spot))
        return seen

    def attempt(self, name: str | None = None, *, documents: int = 20, **settings: Unpack[FieldSettings]) -> FieldTrial:
        """Return what a field finds in the last documents: a saved one, one with changes, or one that is not saved."""
        trial: FieldTrial = self._play(self._calls.attempt(name, documents, settings))
        return trial

    def apply(self) -> int:
        """Look for the fields in all documents that were read before, and return how many jobs changed."""
        changed: int = self._play(self._calls.apply())
        return changed


class AsyncFields:
    """The fields of the account, as `fields` of an `AsyncClient`."""

    def __init__(
        self,
        calls: Calls,
        play: Callable[[Flow[Any]], Awaitable[Any]],
        each: Callable[[Flow[Part[Any]]], AsyncIterator[Any]],
    ) -> None:
        self._calls, self._play, self._each = FieldCalls(calls), play, each

    def list(self) -> AsyncIterator[OwnField]:
        return self._each(self._calls.listed())

    async def get(self, name: str) -> OwnField:
        found: OwnField = await self._play(self._calls.get(name))
        return found

    async def create(self, name: str, **settings: Unpack[FieldSettings]) -> OwnField:
        """Define a field from `examples` on pages, or from `labels`."""
        made: OwnField = await self._play(self._calls.create(name, settings))
        return made

    async def change(self, name: str, **settings: Unpack[FieldSettings]) -> OwnField:
        changed: OwnField = await self._play(self._calls.change(name, settings))
        return changed

    async def delete(self, name: str) -> None:
        await self._play(self._calls.delete(name))

    async def add_example(self, name: str, spot: Spot) -> Json:
        added: Json = await self._play(self._calls.add_example(name, spot))
        return added

    async def delete_example(self, name: str, example_id: str) -> None:
        await self._play(self._calls.delete_example(name, example_id))

    async def point(self, spot: Spot) -> Json:
        """Return what is read at a place, its label, and the guessed type. Nothing is written."""
        seen: Json = await self._play(self._calls.point(spot))
        return seen

    async def attempt(
        self, name: str | None = None, *, documents: int = 20, **settings: Unpack[FieldSettings]
    ) -> FieldTrial:
        """Return what a field finds in the last documents: a saved one, one with changes, or one that is not saved."""
        trial: FieldTrial = await self._play(self._calls.attempt(name, documents, settings))
        return trial

    async def apply(self) -> int:
        """Look for the fields in all documents that were read before, and return how many jobs changed."""
        changed: int = await self._play(self._calls.apply())
        return changed
