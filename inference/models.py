"""The tables of this app, imported so that Django finds them."""

from inference.registry.models import (
    AliasMove,
    BatchSetting,
    ModelAlias,
    ModelPool,
    ModelSamples,
    ModelShare,
    ModelTask,
    ModelVariant,
    ModelVersion,
    PipelineStep,
    ScalingMinute,
    ScalingTerms,
    ServedModel,
    SessionProfile,
    TierPool,
)

__all__ = [
    "AliasMove",
    "BatchSetting",
    "ModelAlias",
    "ModelPool",
    "ModelSamples",
    "ModelShare",
    "ModelTask",
    "ModelVariant",
    "ModelVersion",
    "PipelineStep",
    "ScalingMinute",
    "ScalingTerms",
    "ServedModel",
    "SessionProfile",
    "TierPool",
]
