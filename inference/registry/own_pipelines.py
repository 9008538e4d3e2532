"""Uploads of pipelines by accounts. Their members are found here; a worker checks how the steps fit."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from inference.registry.digests import version_digest
from inference.registry.errors import ModelNotFound, PipelineInvalid
from inference.registry.model_limits import limits_of
from inference.registry.models import ModelTask, ModelVersion, PipelineStep, ServedModel
from inference.registry.owners import owner_work
from inference.registry.selectors import active_models, find_version
from inference.registry.uploads import Content, VersionUpload, add_content
from inference.runtime.parameters import DOCUMENT, GRAPH, TENSORS, TEXT, TEXTS

MAX_CHARACTERS = 64 * 1024
MAX_MEMBERS = 8
KINDS = (DOCUMENT, TEXT, TEXTS, TENSORS)
RUN_S = 60.0
"""The longest time of a run of an account's pipeline with all its steps."""


@dataclass(frozen=True)
class OwnPipeline:
    declared: Mapping[str, Any]
    members: Mapping[str, str]
    """The members by role: `name@number`, `name@alias`, or a name, which means its current version."""


def add_own_pipeline(
    *,
    owner: UUID,
    upload: VersionUpload,
    pipeline: OwnPipeline,
    also: Callable[[ModelTask], object] | None = None,
) -> tuple[ModelVersion, ModelTask]:
    """Make the pipeline the next version of the owner's model, which a worker checks. Raises DomainError."""
    accepts = _accepts(pipeline)
    with owner_work(owner):
        members = _members(owner, pipeline.members)
        version, task = add_content(owner, upload, limits_of(owner), _content(pipeline, members, accepts), also)
        for role, member in members.items():
            PipelineStep.objects.create(tenant_id=owner, pipeline=version, role=role, member=member)
    return version, task


def possible_members(owner: UUID) -> "QuerySet[ServedModel, str]":
    """Return the names of the models that a pipeline of the owner may have as members, in the owner's scope."""
    own_pipelines = Q(tenant=owner, current__runtime=GRAPH)
    return active_models(owner).exclude(own_pipelines).values_list("name", flat=True)


def _content(pipeline: OwnPipeline, members: Mapping[str, ModelVersion], accepts: list[str]) -> Content:
    config = {"graph": pipeline.declared, "run_s": RUN_S}
    steps = {role: member.digest for role, member in members.items()}
    keys = {role: member.key for role, member in members.items()}
    return Content(
        runtime=GRAPH,
        digest=version_digest(runtime=GRAPH, artifacts={}, config=config, steps=steps),
        accepts=accepts,
        config=config,
        lineage={"members": keys},
        note=f"pipeline of {', '.join(sorted(keys.values()))}",
    )


def _accepts(pipeline: OwnPipeline) -> list[str]:
    """Return the kinds of input, after a first look at the declaration."""
    characters = len(json.dumps(pipeline.declared))
    if characters > MAX_CHARACTERS:
        raise PipelineInvalid(f"The pipeline has {characters} characters as JSON. Send {MAX_CHARACTERS} at most.")
    accepts = pipeline.declared.get("accepts")
    if not isinstance(accepts, list) or not accepts or any(kind not in KINDS for kind in accepts):
        raise PipelineInvalid(f"Invalid pipeline: `accepts` must be a list of {', '.join(KINDS)}.")
    return accepts


def _members(owner: UUID, references: Mapping[str, str]) -> dict[str, ModelVersion]:
    """Return the members, in `owner_work`. Those of the owner stay as they are until the transaction ends."""
    if len(references) > MAX_MEMBERS:
        raise PipelineInvalid(f"There are {len(references)} members. A pipeline of an account may have {MAX_MEMBERS}.")
    found = {role: _member(owner, role, reference) for role, reference in references.items()}
    own = sorted({member.served_model_id for member in found.values() if member.tenant_id == owner})
    list(ServedModel.objects.select_for_update(no_key=True).filter(pk__in=own).order_by("pk"))
    return {role: _member(owner, role, member.key) for role, member in found.items()}


def _member(owner: UUID, role: str, reference: str) -> ModelVersion:
    try:
        member = find_version(reference, tenant_id=owner)
    except ModelNotFound as error:
        raise PipelineInvalid(f"Member '{role[:40]}': {error.detail}") from error
    if member.runtime == GRAPH and member.tenant_id is not None:
        raise PipelineInvalid(f"Member '{role[:40]}': {member.key} is a pipeline of yours. Name its models themselves.")
    return member
