"""Write refusals that name the field at fault, as OpenAI's errors do."""

from collections.abc import Iterator
from contextlib import contextmanager

from inference.core.contracts import WorkRefused
from inference.registry.errors import ModelNotFound, ModelPaused, ModelTypeMismatch
from tenants.core.errors import DomainError


def refused(detail: str, *, param: str | None = None) -> DomainError:
    return DomainError(detail, code="invalid_request", extra=_blame(param))


@contextmanager
def model_is_blamed() -> Iterator[None]:
    """Name the `model` field in errors about the requested model. Other errors, such as an unavailable database, are no
    field's fault.
    """
    try:
        yield
    except (ModelNotFound, ModelPaused, ModelTypeMismatch) as error:
        error.extra = {**error.extra, **_blame("model")}
        raise


@contextmanager
def models_blame_input() -> Iterator[None]:
    """Name the `input` field if the model refuses the input. If the model is unavailable or too slow, that is no
    field's fault.
    """
    try:
        yield
    except DomainError as error:
        if isinstance(error.__cause__, WorkRefused):
            error.extra = {**error.extra, **_blame("input")}
        raise


def _blame(param: str | None) -> dict[str, object]:
    return {} if param is None else {"param": param}
