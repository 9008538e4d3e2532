"""A variant of a version: a file in another precision or shape, with its measurements and its verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from maas_client.resources.json_values import Json
from maas_client.resources.model_versions import Refusal


@dataclass(frozen=True, slots=True)
class Variant:
    id: str
    precision: str
    transformation: str
    """How it was made. The text is empty if it was uploaded."""
    state: str
    """`measuring`, `admitted` or `refused`."""
    size_bytes: int
    refusal: Refusal | None
    speedup: float | None
    """How many times as fast as its version a single caller is answered."""
    errors: Mapping[str, float]
    """The differences to its version on the golden set, by measure, such as `cosine_mean`."""
    used_as: int | None
    """The number of the version that was made of it."""
    data: Json = field(repr=False)
    """The variant as the service sent it: lineage, and the report with all figures."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        report = body.get("report") or {}
        return cls(
            id=body["id"],
            precision=body["precision"],
            transformation=body["transformation"],
            state=body["state"],
            size_bytes=body["bytes"],
            refusal=_refusal(body["state"], report),
            speedup=_speedup(report),
            errors={one["name"]: one["value"] for one in (report.get("measured") or {}).get("measures", ())},
            used_as=body["used_as"],
            data=body,
        )


def _refusal(state: str, report: Json) -> Refusal | None:
    """Return why it was refused: it could not be measured, or it is beyond a bound."""
    reasons = (report.get("verdict") or {}).get("reasons") or ()
    if state != "refused":
        return None
    if report.get("refused") or not reasons:
        return Refusal.from_json(report.get("refused"))
    return Refusal(reasons[0]["code"], "; ".join(one["detail"] for one in reasons))


def _speedup(report: Json) -> float | None:
    source, variant = (report.get(name) or {} for name in ("source", "variant"))
    if not source.get("alone_p50_ms") or not variant.get("alone_p50_ms"):
        return None
    return float(source["alone_p50_ms"] / variant["alone_p50_ms"])
