"""Errors in a request for a model."""

from tenants.core.errors import DomainError, NotFound


class ModelNotFound(DomainError):
    code = "model_not_found"


class ModelTypeMismatch(DomainError):
    code = "model_type_mismatch"


class ModelPaused(DomainError):
    code = "model_paused"


class PipelineInvalid(DomainError):
    code = "pipeline_invalid"


class VersionNotFound(DomainError):
    code = "model_version_not_found"


class VersionNotReady(DomainError):
    """The error for a version that cannot be used for this in its state."""

    code = "model_version_not_ready"


class AliasNotFound(DomainError):
    code = "alias_not_found"


class InvalidAlias(DomainError):
    code = "invalid_alias"


class AliasChanged(DomainError):
    """The error for an alias that another request has moved meanwhile. The present version is in `extra`."""

    code = "alias_changed"


class NothingToRollBack(DomainError):
    code = "nothing_to_roll_back"


class ModelInUse(DomainError):
    """The error for a model or version that others refer to, so that it cannot be deleted or retired."""

    code = "model_in_use"


class ModelExists(DomainError):
    code = "model_exists"


class TooManyModels(DomainError):
    code = "too_many_models"


class UploadsOff(DomainError):
    """The error for an installation whose machine cannot isolate the models of accounts."""

    code = "model_uploads_off"


class TaskNotFound(NotFound):
    code = "model_task_not_found"


class VariantNotFound(DomainError):
    code = "model_variant_not_found"


class TaskFailed(DomainError):
    """The end of a task that no file is to blame for."""

    code = "model_task_failed"


class TaskCanceled(DomainError):
    code = "model_task_canceled"


class LeaseLost(Exception):
    """The error for work whose lease another worker has by now, or that has ended."""


class InvalidVariant(DomainError):
    code = "invalid_variant"


class SamplesInvalid(DomainError):
    """The error for samples that the model cannot run on."""

    code = "samples_invalid"


class SamplesNotFound(NotFound):
    code = "samples_not_found"
