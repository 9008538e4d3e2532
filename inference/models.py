"""The tables of this app, for Django's discovery."""

from inference.registry.models import (
    BatchSetting,
    ModelPool,
    ModelVersion,
    PipelineStep,
    ServedModel,
    SessionProfile,
)

__all__ = ["BatchSetting", "ModelPool", "ModelVersion", "PipelineStep", "ServedModel", "SessionProfile"]
