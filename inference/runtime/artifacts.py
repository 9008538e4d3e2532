"""The files of a version by role."""

from inference.core.contracts import VersionSpec
from inference.core.errors import ModelFailed
from inference.runtime.precision import chosen_role


def artifact(spec: VersionSpec, role: str, *, on_gpu: bool = False) -> str:
    """Return the local path of the file for this role, in the precision that the version sets for this device."""
    try:
        chosen = chosen_role(spec.artifacts.keys(), role, spec.config, on_gpu=on_gpu)
    except ModelFailed as error:
        raise ModelFailed(error.code, f"{spec.key}: {error.detail}") from None
    try:
        return spec.artifacts[chosen]
    except KeyError:
        roles = ", ".join(sorted(spec.artifacts)) or "none"
        raise ModelFailed(
            "model_artifact_missing", f"{spec.key} has no artifact '{role}' (it has: {roles})"
        ) from None
