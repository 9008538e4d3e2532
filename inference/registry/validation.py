"""The checks of an uploaded version by a worker: it becomes ready, or is refused with the reason."""

import json
from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from inference.registry.admission import ModelRefused
from inference.registry.aliases import point
from inference.registry.artifacts import local_path
from inference.registry.errors import LeaseLost
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.onnx_files import CheckedFile, admission_for, check_file
from inference.registry.references import CURRENT
from inference.registry.refusals import refusal_json
from inference.registry.tasks.claims import TaskClaim, ending
from inference.registry.uploads import CLASSES, LONGEST_LABEL_TEXT
from tenants.core.db.unit_of_work import operator_work
from tenants.core.progress import Progress

State = ModelVersion.State


def validate(claim: TaskClaim, progress: Progress) -> None:
    """Check the file of a version and end the task. A refusal is a result, too: the task has succeeded."""
    with operator_work():
        version = ModelVersion.objects.select_related("served_model").get(pk=claim.version_id)
    progress.stage("fetching the file")
    path = local_path(version.artifacts["weights"])
    try:
        checked = check_file(path, admission_for(version.tenant_id), progress)
    except ModelRefused as refused:
        _refuse(claim, refused)
        return
    _admit(claim, checked)


def _refuse(claim: TaskClaim, refused: ModelRefused) -> None:
    report = {"refused": refusal_json(refused)}
    with ending(claim, report):
        _validating(claim).update(state=State.REFUSED, report=report)


def _admit(claim: TaskClaim, checked: CheckedFile) -> None:
    trial = {"load_s": round(checked.trial.load_s, 3), "peak_memory_bytes": checked.trial.peak_memory_bytes}
    report: dict[str, Any] = {"checks": ["file", "operators", "tensors", "trial run"], "trial": trial}
    with ending(claim, report) as task:
        # A move of an alias locks the model first, then writes the version's row.
        served = ServedModel.objects.select_for_update(no_key=True).get(versions=claim.version_id)
        ready = _validating(claim)
        version = ready.first()
        if version is None:
            raise LeaseLost(f"version {claim.version_id} is not being validated")
        ready.update(
            state=State.READY,
            labels={**_class_label(checked.signature.classes), **version.labels},
            report=report,
            signature=checked.signature.to_json(),
            config={**version.config, **trial},
            ready_at=task.started_at,
        )
        if served.current_id is None:
            version.refresh_from_db()
            point(served, CURRENT, version, reason="first ready version")


def _class_label(classes: Sequence[str]) -> dict[str, str]:
    """Return the label with the names of the classes, as exports of other libraries give it."""
    text = json.dumps(classes, ensure_ascii=False)
    return {CLASSES: text} if classes and len(text) <= LONGEST_LABEL_TEXT else {}


def _validating(claim: TaskClaim) -> "QuerySet[ModelVersion]":
    return ModelVersion.objects.filter(pk=claim.version_id, state=State.VALIDATING)
