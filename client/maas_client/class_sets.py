"""Class sets: a tenant's own classes, learned from examples."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

from maas_client.calls import Calls
from maas_client.exchange import Flow, Request

T = TypeVar("T")
PATH = "/v1/class-sets"


@dataclass(frozen=True)
class ClassSet:
    name: str
    title: str
    version: str | None
    """The version that serves, such as `letters@3`. It is None before the first training."""
    classes: Mapping[str, int]
    """The number of examples of each class."""
    default: bool = False
    """Say whether it classes documents whose job names no class set."""

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "ClassSet":
        classes = {one["label"]: one["examples"] for one in body["classes"]}
        return cls(body["name"], body["title"], body["version"], classes, body.get("default", False))


class ClassSetChanges(TypedDict, total=False):
    """The changes of a class set."""

    title: str
    version: int
    """The number of the version that serves."""
    default: bool


@dataclass(frozen=True)
class TrainedVersion:
    key: str
    """The version as a job names it: `letters@3`."""
    accuracy: float
    """The share of the examples that the others know."""
    evaluation: Mapping[str, Any]

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "TrainedVersion":
        return cls(body["class_set"], body["evaluation"]["accuracy"], body["evaluation"])


@dataclass(frozen=True)
class TriedClass:
    job: str
    label: str
    probabilities: Mapping[str, float]


class ClassSetCalls:
    """The calls about class sets, as flows."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def all(self) -> Flow[list[ClassSet]]:
        body = yield from self._calls.shaped(Request("GET", PATH, {"limit": 100}), dict)
        return [ClassSet.from_json(one) for one in body["data"]]

    def create(self, name: str, title: str) -> Flow[ClassSet]:
        return self._set(Request("POST", PATH, json={"name": name, "title": title}))

    def get(self, name: str) -> Flow[ClassSet]:
        return self._set(Request("GET", f"{PATH}/{name}"))

    def change(self, name: str, changes: ClassSetChanges) -> Flow[ClassSet]:
        return self._set(Request("PATCH", f"{PATH}/{name}", json=dict(changes)))

    def add(self, name: str, label: str, jobs: Sequence[str]) -> Flow[ClassSet]:
        return self._set(Request("POST", f"{PATH}/{name}/examples", json={"label": label, "jobs": [*jobs]}))

    def train(self, name: str) -> Flow[TrainedVersion]:
        return self._calls.shaped(Request("POST", f"{PATH}/{name}/train"), TrainedVersion.from_json)

    def try_on(self, name: str, jobs: Sequence[str]) -> Flow[list[TriedClass]]:
        body = yield from self._calls.shaped(Request("POST", f"{PATH}/{name}/try", json={"jobs": [*jobs]}), dict)
        return [TriedClass(one["job"], one["label"], one["probabilities"]) for one in body["data"]]

    def delete(self, name: str) -> Flow[None]:
        yield from self._calls.ask(Request("DELETE", f"{PATH}/{name}"))

    def _set(self, request: Request) -> Flow[ClassSet]:
        return self._calls.shaped(request, ClassSet.from_json)


class Player(Protocol):
    """Plays a flow and returns its outcome."""

    def __call__(self, flow: Flow[T]) -> T: ...


class AsyncPlayer(Protocol):
    """Plays a flow and returns its outcome, to be awaited."""

    def __call__(self, flow: Flow[T]) -> Awaitable[T]: ...


class ClassSets:
    """The class sets of the account, as `client.class_sets`."""

    def __init__(self, calls: Calls, play: Player) -> None:
        self._calls, self._play = ClassSetCalls(calls), play

    def all(self) -> list[ClassSet]:
        return self._play(self._calls.all())

    def create(self, name: str, title: str = "") -> ClassSet:
        return self._play(self._calls.create(name, title))

    def get(self, name: str) -> ClassSet:
        return self._play(self._calls.get(name))

    def change(self, name: str, **changes: Unpack[ClassSetChanges]) -> ClassSet:
        """Change the title, the version that serves, or whether the set classes jobs that name none."""
        return self._play(self._calls.change(name, changes))

    def add(self, name: str, label: str, jobs: Sequence[str]) -> ClassSet:
        """Make the documents of these jobs examples of a class."""
        return self._play(self._calls.add(name, label, jobs))

    def train(self, name: str) -> TrainedVersion:
        return self._play(self._calls.train(name))

    def try_on(self, name: str, jobs: Sequence[str]) -> list[TriedClass]:
        """Return the classes that the set gives to documents that were read, and change nothing."""
        return self._play(self._calls.try_on(name, jobs))

    def delete(self, name: str) -> None:
        self._play(self._calls.delete(name))


class AsyncClassSets:
    """The class sets of the account, as `class_sets` of an `AsyncClient`."""

    def __init__(self, calls: Calls, play: AsyncPlayer) -> None:
        self._calls, self._play = ClassSetCalls(calls), play

    async def all(self) -> list[ClassSet]:
        return await self._play(self._calls.all())

    async def create(self, name: str, title: str = "") -> ClassSet:
        return await self._play(self._calls.create(name, title))

    async def get(self, name: str) -> ClassSet:
        return await self._play(self._calls.get(name))

    async def change(self, name: str, **changes: Unpack[ClassSetChanges]) -> ClassSet:
        """Change the title, the version that serves, or whether the set classes jobs that name none."""
        return await self._play(self._calls.change(name, changes))

    async def add(self, name: str, label: str, jobs: Sequence[str]) -> ClassSet:
        """Make the documents of these jobs examples of a class."""
        return await self._play(self._calls.add(name, label, jobs))

    async def train(self, name: str) -> TrainedVersion:
        return await self._play(self._calls.train(name))

    async def try_on(self, name: str, jobs: Sequence[str]) -> list[TriedClass]:
        """Return the classes that the set gives to documents that were read, and change nothing."""
        return await self._play(self._calls.try_on(name, jobs))

    async def delete(self, name: str) -> None:
        await self._play(self._calls.delete(name))
