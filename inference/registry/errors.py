"""Errors in a request for a model."""

from tenants.core.errors import DomainError


class ModelNotFound(DomainError):
    code = "model_not_found"


class ModelTypeMismatch(DomainError):
    code = "model_type_mismatch"


class ModelPaused(DomainError):
    code = "model_paused"


class PipelineInvalid(DomainError):
    code = "pipeline_invalid"
