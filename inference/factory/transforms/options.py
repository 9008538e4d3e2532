"""The transformations that can be requested, each with its parameters."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from inference.core.contracts import Json
from inference.factory.transforms.errors import TransformRefused


@dataclass(frozen=True, slots=True)
class Optimize:
    """Constants are folded and operators are fused once, instead of at each load."""

    name: ClassVar[str] = "optimize"
    precision: ClassVar[str] = "fp32"
    calibrates: ClassVar[bool] = False
    level: str = "extended"
    """`basic` leaves standard operators only; `extended` also fuses to operators that only ONNX Runtime has. Layouts of
    weights that suit a single kind of processor are never written.
    """


@dataclass(frozen=True, slots=True)
class Fuse:
    """Attention, layer norms and their neighbors become single operators, as in the tools for transformers."""

    name: ClassVar[str] = "fuse"
    precision: ClassVar[str] = "fp32"
    calibrates: ClassVar[bool] = False
    model_type: str = "bert"
    heads: int = 0
    """The number of attention heads, or 0 to find it in the graph."""
    hidden_size: int = 0
    """The size of the hidden layer, or 0 to find it in the graph."""


@dataclass(frozen=True, slots=True)
class Slim:
    """Shapes are inferred, constants are folded and what is computed twice is computed once, in standard operators."""

    name: ClassVar[str] = "slim"
    precision: ClassVar[str] = "fp32"
    calibrates: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Half:
    """Weights and activations become fp16; inputs and outputs stay as they are."""

    name: ClassVar[str] = "half"
    precision: ClassVar[str] = "fp16"
    calibrates: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class DynamicInt8:
    """Weights become int8. Activations are scaled anew in each run."""

    name: ClassVar[str] = "dynamic-int8"
    precision: ClassVar[str] = "int8"
    calibrates: ClassVar[bool] = False
    operators: tuple[str, ...] = ("MatMul", "Gemm", "Attention", "Gather", "EmbedLayerNormalization")
    exclude: tuple[str, ...] = ()
    """The names of nodes that stay in fp32."""
    per_channel: bool = True
    reduce_range: bool = True
    """Weights of 7 bits, without which the sums of products overflow on processors that lack VNNI."""
    separate_layer_norms: bool = True
    """Keeps a sum and the layer norm after it apart. The joined operator takes four times as long beside int8."""


@dataclass(frozen=True, slots=True)
class StaticInt8:
    """Weights and activations become int8, by the ranges that calibration samples show (QDQ format)."""

    name: ClassVar[str] = "static-int8"
    precision: ClassVar[str] = "int8"
    calibrates: ClassVar[bool] = True
    operators: tuple[str, ...] = ("Conv", "MatMul", "Gemm")
    exclude: tuple[str, ...] = ()
    """The names of nodes that stay in fp32."""
    min_weights: int = 0
    """The fewest weights of a node that is quantized. Small ones gain less than the conversions around them cost."""
    depthwise: bool = True
    """False keeps convolutions with a group for each channel in fp32."""
    activations: str = "uint8"
    per_channel: bool = True
    reduce_range: bool = True
    method: str = "minmax"
    """The choice of ranges: `minmax`, `percentile` or `entropy`."""
    percentile: float = 99.99
    max_error: float | None = None
    """The largest relative error of an output. The nodes that cause most of it are kept in fp32 until it holds."""


Options = Optimize | Fuse | Slim | Half | DynamicInt8 | StaticInt8
KINDS: Mapping[str, type[Options]] = {kind.name: kind for kind in (Optimize, Fuse, Slim, Half, DynamicInt8, StaticInt8)}


def parameters_of(options: Options) -> dict[str, Json]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(options).items()}


def options_of(name: str, parameters: Mapping[str, Json]) -> Options:
    """Return the options of the named transformation, as they come from a caller. Raises TransformRefused."""
    kind = KINDS.get(name)
    if kind is None:
        raise TransformRefused("transformation_unknown", f"there is no {name!r}; choose one of {', '.join(KINDS)}")
    known = {field.name: field for field in fields(kind)}
    for key, value in parameters.items():
        if key not in known:
            raise TransformRefused("parameter_unknown", f"{name} has no {key!r}; it has {', '.join(known) or 'none'}")
        _check(name, key, value, known[key].default)
    arguments: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in parameters.items()
    }
    return kind(**arguments)


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "level": ("basic", "extended"),
    "activations": ("uint8", "int8"),
    "method": ("minmax", "percentile", "entropy"),
    "model_type": ("bert", "bart", "clip", "conformer", "gpt2", "t5", "unet", "vae", "vit", "swin"),
}
_RANGES: Mapping[str, tuple[float, float]] = {
    "percentile": (90.0, 100.0),
    "max_error": (0.0, 10.0),
    "min_weights": (0, 1 << 31),
    "heads": (0, 1024),
    "hidden_size": (0, 1 << 20),
}
_MAX_NAMES = 10_000


def _check(name: str, key: str, value: Json, default: object) -> None:
    if key in _CHOICES:
        fits, wanted = value in _CHOICES[key], f"one of {', '.join(_CHOICES[key])}"
    elif key in _RANGES:
        low, high = _RANGES[key]
        fits = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        fits, wanted = fits or (value is None and default is None), f"a number from {low:g} to {high:g}"
    elif isinstance(default, bool):
        fits, wanted = isinstance(value, bool), "true or false"
    else:
        fits = isinstance(value, list | tuple) and len(value) <= _MAX_NAMES and all(isinstance(v, str) for v in value)
        wanted = f"a list of at most {_MAX_NAMES} names"
    if not fits:
        raise TransformRefused("parameter_invalid", f"{key} of {name} is {value!r}; it must be {wanted}")
