"""The database models of the registry."""

from inference.registry.models.aliases import AliasMove, ModelAlias
from inference.registry.models.batch_settings import BatchSetting
from inference.registry.models.samples import ModelSamples
from inference.registry.models.scaling import ScalingMinute, ScalingTerms
from inference.registry.models.served import ModelShare, ServedModel
from inference.registry.models.serving import ModelPool, SessionProfile
from inference.registry.models.tiers import TierPool
from inference.registry.models.variants import ModelTask, ModelVariant
from inference.registry.models.versions import ModelVersion, PipelineStep

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
