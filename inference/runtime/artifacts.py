"""A version's files by role."""

from inference.contracts import VersionSpec
from inference.runtime.errors import ModelFailed


def artifact(spec: VersionSpec, role: str) -> str:
    try:
        return spec.artifacts[role]
    except KeyError:
        roles = ", ".join(sorted(spec.artifacts)) or "none"
        raise ModelFailed(
            "model_artifact_missing", f"{spec.key} has no artifact '{role}' (it has: {roles})"
        ) from None
