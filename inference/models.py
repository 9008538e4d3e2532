"""The tables of this app, for Django's discovery."""

from inference.registry.models import ModelVersion, PipelineStep, ServedModel

__all__ = ["ModelVersion", "PipelineStep", "ServedModel"]
