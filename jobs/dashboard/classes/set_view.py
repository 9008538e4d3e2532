"""A class set as a person sees it: classes with examples, how well they are known, and versions. Makes no queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inference.class_sets.evaluation import UNSURE
from inference.class_sets.training import MAX_EXAMPLES, MIN_CLASSES, MIN_EXAMPLES
from jobs.class_sets.models import ClassExample, ClassSet, ClassSetVersion
from jobs.class_sets.names import key_of


@dataclass(frozen=True)
class ExampleView:
    job: str
    name: str
    corrected: bool
    taken_for: str
    """The class that the other examples take it for. It is empty if they know it."""
    percent: int


@dataclass(frozen=True)
class ClassView:
    label: str
    examples: Sequence[ExampleView]
    missing: int
    """The number of examples that are still needed."""
    full: bool


@dataclass(frozen=True)
class KnownView:
    """A row of the confusion table: the examples of a class, and what they are taken for."""

    label: str
    right: int
    total: int
    percent: int
    others: Sequence[tuple[str, int]]
    """The classes that its examples are taken for, or `unsure`, with their number."""
    counts: Sequence[tuple[int, bool]]
    """The number for each column of the table, and whether it is that of the class itself."""


@dataclass(frozen=True)
class VersionView:
    number: int
    key: str
    serves: bool
    percent: int
    corrected: bool
    author: str
    created_at: datetime


@dataclass(frozen=True)
class SetView:
    name: str
    title: str
    key: str | None
    default: bool
    """It classes documents whose upload names no class set."""
    classes: Sequence[ClassView]
    examples: int
    may_train: bool
    todo: str
    """The text about what is missing before training. It is empty if nothing is."""
    changed: bool
    """Examples were added or removed after the last training."""
    percent: int | None
    """The share of the examples that the others know. It is None before training."""
    columns: Sequence[str]
    known: Sequence[KnownView]
    confused: Sequence[ExampleView]
    versions: Sequence[VersionView]


def set_view(
    class_set: ClassSet,
    examples: Sequence[ClassExample],
    version: ClassSetVersion | None,
    versions: Sequence[ClassSetVersion],
) -> SetView:
    """Return the view. `version` is the one that serves."""
    evaluation: Mapping[str, Any] = version.evaluation if version else {"mistakes": (), "unsure": ()}
    outcomes = {one["document"]: one for name in ("mistakes", "unsure") for one in evaluation.get(name, ())}
    labels = version.labels if version else []
    views = [_example(example, outcomes.get(str(example.job_id))) for example in examples]
    by_label: dict[str, list[ExampleView]] = {}
    for example, view in zip(examples, views, strict=True):
        by_label.setdefault(example.label, []).append(view)
    todo = _todo({label: len(shown) for label, shown in by_label.items()})
    return SetView(
        name=class_set.name,
        title=class_set.title or class_set.name,
        key=class_set.key,
        default=class_set.default,
        classes=[_class(label, shown) for label, shown in sorted(by_label.items())],
        examples=len(views),
        may_train=not todo,
        todo=todo,
        changed=not versions or class_set.changed_at > versions[0].created_at,
        percent=round(100 * evaluation["accuracy"]) if version else None,
        columns=[*labels, UNSURE] if version else [],
        known=[_known(label, evaluation["confusion"][label], labels) for label in labels],
        confused=[view for view in views if view.taken_for],
        versions=[_version(class_set, one) for one in versions],
    )


def _example(example: ClassExample, outcome: Mapping[str, Any] | None) -> ExampleView:
    document = example.job.document
    taken_for = ""
    if outcome is not None and outcome["label"] == example.label:
        taken_for = outcome["predicted"] if outcome["predicted"] != example.label else UNSURE
    return ExampleView(
        job=str(example.job_id),
        name=document.name if document and document.name else str(example.job_id),
        corrected=example.corrected,
        taken_for=taken_for,
        percent=round(100 * outcome["probability"]) if outcome else 0,
    )


def _class(label: str, examples: Sequence[ExampleView]) -> ClassView:
    return ClassView(label, examples, max(0, MIN_EXAMPLES - len(examples)), len(examples) >= MAX_EXAMPLES)


def _todo(counts: Mapping[str, int]) -> str:
    if len(counts) < MIN_CLASSES:
        return f"A class set needs at least {MIN_CLASSES} classes with {MIN_EXAMPLES} to {MAX_EXAMPLES} examples each."
    few = [f"{label}: {MIN_EXAMPLES - count} more" for label, count in sorted(counts.items()) if count < MIN_EXAMPLES]
    return f"Each class needs at least {MIN_EXAMPLES} examples. {', '.join(few)}." if few else ""


def _known(label: str, row: Mapping[str, int], labels: Sequence[str]) -> KnownView:
    total, right = sum(row.values()), row[label]
    others = [(other, count) for other, count in row.items() if count and other != label]
    return KnownView(
        label=label,
        right=right,
        total=total,
        percent=round(100 * right / total) if total else 0,
        others=sorted(others, key=lambda one: -one[1]),
        counts=[(row[other], other == label) for other in (*labels, UNSURE)],
    )


def _version(class_set: ClassSet, version: ClassSetVersion) -> VersionView:
    return VersionView(
        number=version.number,
        key=key_of(class_set.name, version.number),
        serves=version.number == class_set.version,
        percent=round(100 * version.evaluation["accuracy"]),
        corrected=version.corrected,
        author=version.author,
        created_at=version.created_at,
    )
