"""The checks of an uploaded version by a worker: it becomes ready, or is refused with the reason."""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from django.db.models import QuerySet

from inference.core.calls import Call
from inference.pipelines.graph import Graph, GraphInvalid
from inference.pipelines.operations.values import described
from inference.registry.admission import ModelRefused
from inference.registry.aliases import point
from inference.registry.artifacts import local_path
from inference.registry.declared import check_declared_by_account, step_of
from inference.registry.errors import LeaseLost
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.onnx_files import admission_for, check_file
from inference.registry.pipeline_prices import price_of_steps
from inference.registry.references import CURRENT
from inference.registry.refusals import refusal_json
from inference.registry.tasks.claims import TaskClaim, ending
from inference.registry.uploads import CLASSES, LONGEST_LABEL_TEXT
from inference.runtime.parameters import GRAPH
from tenants.core.db.unit_of_work import operator_work
from tenants.core.progress import Progress
from tenants.plans.prices import Price
from tenants.plans.selectors import terms_of

State = ModelVersion.State
_LONGEST_NOTE = 500
NOTHING: Mapping[str, Any] = MappingProxyType({})


def validate(claim: TaskClaim, progress: Progress, call: Call) -> None:
    """Check the version and end the task. A refusal is a result, too: the task has succeeded."""
    with operator_work():
        version = ModelVersion.objects.select_related("served_model").get(pk=claim.version_id)
    if version.runtime == GRAPH:
        _validate_pipeline(claim, version)
    else:
        _validate_file(claim, version, progress, call)


def _validate_file(claim: TaskClaim, version: ModelVersion, progress: Progress, call: Call) -> None:
    progress.stage("fetching the file")
    path = local_path(version.artifacts["weights"])
    try:
        checked = check_file(path, admission_for(version.tenant_id), progress, call)
    except ModelRefused as refused:
        _refuse(claim, refused)
        return
    trial = {"load_s": round(checked.trial.load_s, 3), "peak_memory_bytes": checked.trial.peak_memory_bytes}
    report: dict[str, Any] = {"checks": ["file", "operators", "tensors", "trial run"], "trial": trial}
    if checked.trial.failed:
        note = f"It loads, but does not run on made inputs, which were zeros and ones: {checked.trial.failed}"
        report["trial"] = {**trial, "note": note[:_LONGEST_NOTE]}
    if checked.trial.corrections:
        report["corrected"] = " ".join(map(str, checked.trial.corrections))[:_LONGEST_NOTE]
    labels = _class_label(checked.signature.classes)
    _admit(claim, report, signature=checked.signature.to_json(), config=trial, labels=labels)


def _validate_pipeline(claim: TaskClaim, version: ModelVersion) -> None:
    with operator_work():
        steps = version.steps.select_related("member__served_model")
        members = {step.role: step.member for step in steps}
        try:
            graph, answer = check_declared_by_account(version.config["graph"], members)
            price = _price(version, graph, members)
        except GraphInvalid as invalid:
            refused: GraphInvalid | None = invalid
        else:
            refused = None
    if refused is not None:
        _refuse(claim, ModelRefused("pipeline_invalid", f"{refused}.", node=step_of(refused)))
        return
    _admit(
        claim,
        {"checks": ["declaration", "steps", "members"]},
        signature={**graph.signature(), "outputs": described(answer)},
        parameters=[dict(parameter) for parameter in graph.parameters_json()],
        price=price,
    )


def _refuse(claim: TaskClaim, refused: ModelRefused) -> None:
    report = {"refused": refusal_json(refused)}
    with ending(claim, report):
        _validating(claim).update(state=State.REFUSED, report=report)


def _admit(
    claim: TaskClaim,
    report: dict[str, Any],
    *,
    signature: Mapping[str, Any],
    config: Mapping[str, Any] = NOTHING,
    labels: Mapping[str, str] = NOTHING,
    parameters: list[dict[str, Any]] | None = None,
    price: Price | None = None,
) -> None:
    with ending(claim, report) as task:
        # A move of an alias locks the model first, then writes the version's row.
        served = ServedModel.objects.select_for_update(no_key=True).get(versions=claim.version_id)
        ready = _validating(claim)
        version = ready.first()
        if version is None:
            raise LeaseLost(f"version {claim.version_id} is not being validated")
        ready.update(
            state=State.READY,
            labels={**labels, **version.labels},
            report=report,
            signature=dict(signature),
            config={**version.config, **config},
            ready_at=task.started_at,
        )
        if parameters is not None:
            ServedModel.objects.filter(pk=served.pk).update(parameters=parameters)
        if price is not None:
            ServedModel.objects.filter(pk=served.pk).update(
                price_meter=price.meter,
                price_micros=price.amount_micros,
                price_per=price.per,
                currency=price.currency,
                cached_price_micros=None,
            )
        if served.current_id is None:
            version.refresh_from_db()
            point(served, CURRENT, version, reason="first ready version")


def _class_label(classes: Sequence[str]) -> dict[str, str]:
    """Return the label with the names of the classes, as exports of other libraries give it."""
    text = json.dumps(classes, ensure_ascii=False)
    return {CLASSES: text} if classes and len(text) <= LONGEST_LABEL_TEXT else {}


def _price(version: ModelVersion, graph: Graph, members: Mapping[str, ModelVersion]) -> Price | None:
    assert version.tenant_id is not None, "the pipelines of the installation have prices of their own"
    return price_of_steps(graph, members, terms_of(version.tenant_id).prices, version.served_model.price)


def _validating(claim: TaskClaim) -> "QuerySet[ModelVersion]":
    return ModelVersion.objects.filter(pk=claim.version_id, state=State.VALIDATING)
