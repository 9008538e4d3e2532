"""The files of a version by role, each in one of several precisions."""

from collections.abc import Collection, Mapping
from typing import Any

from inference.core.contracts import VersionSpec
from inference.core.errors import ModelFailed

FP32 = "fp32"
PRECISIONS = (FP32, "fp16", "bf16", "int8")
DEVICES = ("cpu", "gpu")


def variant_role(role: str, precision: str) -> str:
    """Return the artifact's role in this precision: `weights.int8` is `weights` in int8; the plain role is fp32."""
    return role if precision == FP32 else f"{role}.{precision}"


def chosen_precision(config: Mapping[str, Any], *, on_gpu: bool) -> str:
    """Return the device's precision. `config["precision"]` is a name or one for each device, fp32 by default."""
    wish = config.get("precision", FP32)
    if isinstance(wish, Mapping):
        unknown = sorted(set(wish) - set(DEVICES))
        if unknown:
            raise ModelFailed(
                "model_precision_unknown",
                f"precision is set for {unknown[0]!r}; devices are {' and '.join(DEVICES)}",
            )
        wish = wish.get(DEVICES[on_gpu], FP32)
    if wish not in PRECISIONS:
        raise ModelFailed("model_precision_unknown", f"{wish!r} is none of {', '.join(PRECISIONS)}")
    return str(wish)


def chosen_role(artifacts: Collection[str], role: str, config: Mapping[str, Any], *, on_gpu: bool) -> str:
    """Return the artifact to load for this role. One without variants, like a tokenizer, is used as it is."""
    precision = chosen_precision(config, on_gpu=on_gpu)
    wanted = variant_role(role, precision)
    if wanted in artifacts or wanted == role:
        return wanted
    has_variants = any(variant_role(role, other) in artifacts for other in PRECISIONS if other != FP32)
    others_have_it = any(name.endswith(f".{precision}") for name in artifacts)
    if others_have_it and not has_variants:
        return role
    raise ModelFailed(
        "model_artifact_missing",
        f"its precision is {precision} on the {DEVICES[on_gpu]}, and it has no artifact '{wanted}'"
        f" (it has: {', '.join(sorted(artifacts)) or 'none'})",
    )


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
        raise ModelFailed("model_artifact_missing", f"{spec.key} has no artifact '{role}' (it has: {roles})") from None
