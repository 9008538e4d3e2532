"""Refusals that name the field at fault, as OpenAI's errors do."""

from collections.abc import Iterator
from contextlib import contextmanager

from inference.core.contracts import WorkRefused
from inference.registry.errors import ModelKindDiffers, ModelNotFound, ModelPaused
from tenants.core.errors import DomainError


def refused(detail: str, *, param: str | None = None) -> DomainError:
    return DomainError(detail, code="invalid_request", extra=_blame(param))


@contextmanager
def model_is_blamed() -> Iterator[None]:
    """For what is wrong with the model that is named; that the database is away is no field's fault."""
    try:
        yield
    except (ModelNotFound, ModelPaused, ModelKindDiffers) as error:
        error.extra = {**error.extra, **_blame("model")}
        raise


@contextmanager
def models_blame_input() -> Iterator[None]:
    """What a model refuses is the input; that it is away, or too slow, is no field's fault."""
    try:
        yield
    except DomainError as error:
        if isinstance(error.__cause__, WorkRefused):
            error.extra = {**error.extra, **_blame("input")}
        raise


def _blame(param: str | None) -> dict[str, object]:
    return {} if param is None else {"param": param}
