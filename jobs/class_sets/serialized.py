"""The JSON of class sets, as the API and the dashboard use it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from inference.class_sets.evaluation import UNSURE
from jobs.class_sets.models import ClassExample, ClassSet, ClassSetVersion
from jobs.class_sets.names import key_of
from jobs.class_sets.selectors import counted_labels


def class_set_json(class_set: ClassSet) -> dict[str, Any]:
    counts = counted_labels(class_set)
    return {
        "object": "class_set",
        "name": class_set.name,
        "title": class_set.title,
        "version": class_set.key,
        "default": class_set.default,
        "classes": [{"label": label, "examples": count} for label, count in counts.items()],
        "livemode": class_set.livemode,
        "created_at": class_set.created_at,
        "changed_at": class_set.changed_at,
    }


def version_json(class_set: ClassSet, version: ClassSetVersion) -> dict[str, Any]:
    return {
        "object": "class_set_version",
        "class_set": key_of(class_set.name, version.number),
        "number": version.number,
        "serves": version.number == class_set.version,
        "classes": version.labels,
        "evaluation": evaluation_json(version),
        "reason": "correction" if version.corrected else "request",
        "author": version.author,
        "created_at": version.created_at,
    }


def evaluation_json(version: ClassSetVersion) -> dict[str, Any]:
    """Return the evaluation in order, which Postgres does not keep. Documents are named by their jobs."""
    found: Mapping[str, Any] = version.evaluation
    labels = version.labels
    mistakes, unsure = found["mistakes"], found.get("unsure", ())
    other = {one["document"]: one for one in (*mistakes, *unsure)}
    return {
        "accuracy": found["accuracy"],
        "confusion": {own: {given: found["confusion"][own][given] for given in (*labels, UNSURE)} for own in labels},
        "recall": {label: found["recall"][label] for label in labels},
        "precision": {label: found["precision"][label] for label in labels},
        "examples": [
            {"job": job, "label": label, "predicted": other[job]["predicted"] if job in other else label}
            for job, label in sorted(version.examples.items(), key=lambda item: (item[1], item[0]))
        ],
        "mistakes": [_outcome(one) for one in mistakes],
        "unsure": [_outcome(one) for one in unsure],
    }


def _outcome(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "job": one["document"],
        "label": one["label"],
        "predicted": one["predicted"],
        "probability": one["probability"],
    }


def example_json(example: ClassExample) -> dict[str, Any]:
    document = example.job.document
    return {
        "object": "class_example",
        "job": str(example.job_id),
        "document": str(example.document_id),
        "name": document.name if document else "",
        "label": example.label,
        "corrected": example.corrected,
        "author": example.author,
        "created_at": example.created_at,
    }


def tried_json(job_id: UUID, label: str, probabilities: Mapping[str, float]) -> dict[str, Any]:
    return {"job": str(job_id), "label": label, "probabilities": dict(probabilities)}
