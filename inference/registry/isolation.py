"""The models of accounts need a sandbox: whether this machine has one, and pauses of versions whose processes end."""

import structlog
from django.db import InterfaceError, OperationalError, transaction

from inference.model_host.isolation_status import isolation_status
from inference.registry.errors import UploadsOff
from inference.registry.pausing import pause
from inference.registry.selectors import version_of_key
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
MAX_REASON = 300


def require_isolation() -> None:
    """Raise UploadsOff if this machine lacks a layer of the sandbox in which uploaded models run."""
    status = isolation_status()
    if not status.available:
        missing = "; ".join(f"{layer}: {reason}" for layer, reason in sorted(status.missing.items()))
        raise UploadsOff(f"Uploads of models are off, because this server cannot isolate them ({missing}).")


def pause_version(_path: str, engine_key: str, reason: str) -> None:
    """Pause a version whose processes ended several times in a row, in every process within a second."""
    version = version_of_key(engine_key)
    if version is None:
        return
    why = f"its process ended several times in a row. The last time: {reason[:MAX_REASON]}"
    with operator_work(), transaction.atomic(using=OPERATOR):
        paused = pause(version, why)
    if paused:
        log.error("model_version_paused", version=engine_key, reason=reason)


def stays_paused(engine_key: str) -> bool:
    """Return whether a version that this process has paused is still paused. Without the database, it is."""
    try:
        version = version_of_key(engine_key)
    except (OperationalError, InterfaceError):
        return True
    return version is None or bool(version.paused_reason)
