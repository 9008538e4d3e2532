"""Erases the models of an account that is deleted."""

from uuid import UUID

from inference.registry.models import (
    AliasMove,
    ModelAlias,
    ModelSamples,
    ModelShare,
    ModelTask,
    ModelVariant,
    ModelVersion,
    PipelineStep,
    ServedModel,
)

ORDER = (ModelTask, ModelVariant, AliasMove, ModelAlias, PipelineStep, ModelVersion, ModelSamples, ServedModel)
"""The tables with rows of a tenant, in the order in which they are emptied."""


def erase_models(tenant_id: UUID) -> set[str]:
    """Delete all models of a tenant as the operator. Return the names of their stored files, which nobody else has."""
    artifacts = list(ModelVariant.objects.filter(tenant=tenant_id).values_list("artifact", flat=True))
    for by_part in ModelVersion.objects.filter(tenant=tenant_id).values_list("artifacts", flat=True):
        artifacts += by_part.values()
    for table in ORDER:
        table.objects.filter(tenant=tenant_id).delete()
    ModelShare.objects.filter(account=tenant_id).delete()
    return {str(artifact["file"]) for artifact in artifacts}
