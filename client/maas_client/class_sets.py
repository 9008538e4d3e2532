"""Class sets: a tenant's own classes, learned from examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

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

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "ClassSet":
        classes = {one["label"]: one["examples"] for one in body["classes"]}
        return cls(body["name"], body["title"], body["version"], classes)


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


class Player(Protocol):
    def __call__(self, flow: Flow[T]) -> T: ...


class ClassSets:
    """The class sets of an account, as `client.class_sets`."""

    def __init__(self, calls: Calls, play: Player) -> None:
        self._calls, self._play = calls, play

    def all(self) -> list[ClassSet]:
        body = self._play(self._calls.shaped(Request("GET", PATH, {"limit": 100}), dict))
        return [ClassSet.from_json(one) for one in body["data"]]

    def create(self, name: str, title: str = "") -> ClassSet:
        return self._set(Request("POST", PATH, json={"name": name, "title": title}))

    def get(self, name: str) -> ClassSet:
        return self._set(Request("GET", f"{PATH}/{name}"))

    def add(self, name: str, label: str, jobs: Sequence[str]) -> ClassSet:
        """Make the documents of these jobs examples of a class."""
        return self._set(Request("POST", f"{PATH}/{name}/examples", json={"label": label, "jobs": [*jobs]}))

    def train(self, name: str) -> TrainedVersion:
        return self._play(self._calls.shaped(Request("POST", f"{PATH}/{name}/train"), TrainedVersion.from_json))

    def try_on(self, name: str, jobs: Sequence[str]) -> list[TriedClass]:
        """Return the classes that the set gives to documents that were read, and change nothing."""
        body = self._play(self._calls.shaped(Request("POST", f"{PATH}/{name}/try", json={"jobs": [*jobs]}), dict))
        return [TriedClass(one["job"], one["label"], one["probabilities"]) for one in body["data"]]

    def delete(self, name: str) -> None:
        self._play(self._calls.ask(Request("DELETE", f"{PATH}/{name}")))

    def _set(self, request: Request) -> ClassSet:
        return self._play(self._calls.shaped(request, ClassSet.from_json))
