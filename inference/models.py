"""The tables of this app, imported so that Django finds them."""

from inference.registry.models import (
    BatchSetting,
    ModelPool,
    ModelVersion,
    PipelineStep,
    ServedModel,
    SessionProfile,
)

__all__ = ["BatchSetting", "ModelPool", "ModelVersion", "PipelineStep", "ServedModel", "SessionProfile"]
