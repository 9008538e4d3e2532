"""The batch limits that operators set. Workers apply changes without a restart."""

import structlog

from inference.batching.limits import BatchLimits
from inference.registry.models import BatchSetting, ServedModel
from inference.runtime.batched import OWN_LIMITS, Part

log = structlog.get_logger(__name__)


def batch_limits() -> dict[Part, BatchLimits]:
    """Return the limits of every version of the models whose limits were changed."""
    settings = BatchSetting.objects.select_related("served_model").prefetch_related("served_model__versions")
    return {
        Part(f"{setting.served_model.engine_name}@{version.number}", setting.part): limits
        for setting in settings
        for version in setting.served_model.versions.all()
        if (limits := _limits(setting, version.runtime)) is not None
    }


def own_limits(served: ServedModel) -> dict[str, BatchLimits]:
    """Return the unchanged limits by the role of the file. A pipeline has none, because it only calls other models."""
    version = served.current or served.versions.order_by("-number").first()
    return dict(OWN_LIMITS.get(version.runtime, {})) if version is not None else {}


def _limits(setting: BatchSetting, runtime: str) -> BatchLimits | None:
    """Return the changed limits, or None if the setting does not fit the runtime or its present limits."""
    own = OWN_LIMITS.get(runtime, {}).get(setting.part)
    if own is None:
        return None
    try:
        return setting.changes.over(own)
    except ValueError as error:
        log.warning("batch_limits_not_applied", model=setting.served_model.name, part=setting.part, error=str(error))
        return None
