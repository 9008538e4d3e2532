"""A durable task on a model: it makes variants, measures one, or checks a version."""

from dataclasses import dataclass, field
from typing import Self

from maas_client.resources.json_values import Json
from maas_client.resources.problems import Problem

ENDED = frozenset({"succeeded", "failed", "canceled"})


@dataclass(frozen=True, slots=True)
class ModelTask:
    id: str
    state: str
    """`queued`, `running`, `succeeded`, `failed` or `canceled`."""
    stage: str | None
    done: int
    total: int
    error: Problem | None
    data: Json = field(repr=False)
    """The task as the service sent it, with its report."""

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    @classmethod
    def from_json(cls, body: Json) -> Self:
        progress = body.get("progress") or {}
        return cls(
            id=str(body["id"]),
            state=body["state"],
            stage=progress.get("stage"),
            done=progress.get("done") or 0,
            total=progress.get("total") or 0,
            error=Problem.from_json(body.get("error")),
            data=body,
        )
