"""A version of a model, and the reason why one was refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from maas_client.resources.json_values import Json, time_of_seconds


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a version or a variant was refused. `code` is stable, the other texts are for people."""

    code: str
    detail: str
    node: str | None = None
    """The node of the graph that is at fault, if a single one is."""
    bound: str | None = None
    """The bound that was exceeded, if one was."""
    what_to_do: str | None = None

    def __str__(self) -> str:
        where = f" Node: {self.node}." if self.node and self.node not in self.detail else ""
        bound = f" Bound: {self.bound}." if self.bound and self.bound not in self.detail else ""
        advice = f" {self.what_to_do}" if self.what_to_do and self.what_to_do not in self.detail else ""
        return f"{self.detail}{where}{bound}{advice}"

    @classmethod
    def from_json(cls, body: Json | None) -> Self | None:
        if not body:
            return None
        texts = {name: str(body[name]) for name in ("node", "bound", "what_to_do") if body.get(name) is not None}
        return cls(body["code"], body["detail"], **texts)


@dataclass(frozen=True, slots=True)
class ModelVersion:
    model: str
    version: int
    state: str
    """`validating`, `ready`, `refused` or `retired`."""
    refusal: Refusal | None
    paused_reason: str | None
    """The reason why it takes no calls, if it is paused."""
    stage: str | None
    """The step of the check that runs now."""
    done: int
    total: int
    """The number of steps of the check, and of those that are done."""
    task: str | None
    """The id of its newest task, such as the one that checks it."""
    digest: str | None
    license: str
    description: str
    labels: Mapping[str, str]
    card: str
    aliases: tuple[str, ...]
    created_at: datetime | None
    created_by: str | None
    data: Json = field(repr=False)
    """The version as the service sent it: report, signature, artifacts, lineage, evaluation, variants."""

    @property
    def key(self) -> str:
        """Return the name by which a call uses this version: `scores@3`."""
        return f"{self.model}@{self.version}"

    @property
    def checked(self) -> bool:
        return self.state != "validating"

    @classmethod
    def from_json(cls, body: Json) -> Self:
        progress = body.get("progress") or {}
        return cls(
            model=body["model"],
            version=body["version"],
            state=body["state"],
            refusal=Refusal.from_json((body.get("report") or {}).get("refused")),
            paused_reason=body.get("paused_reason"),
            stage=progress.get("stage"),
            done=progress.get("done") or 0,
            total=progress.get("total") or 0,
            task=body.get("task"),
            digest=body.get("digest"),
            license=body.get("license") or "",
            description=body.get("description") or "",
            labels=body.get("labels") or {},
            card=body.get("card") or "",
            aliases=tuple(body.get("aliases") or ()),
            created_at=time_of_seconds(body.get("created")),
            created_by=body.get("created_by"),
            data=body,
        )
