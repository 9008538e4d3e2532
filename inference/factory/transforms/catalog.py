"""Decides which transformations suit a model on a device, with the reason for each that does not."""

from collections.abc import Iterator
from dataclasses import dataclass

from inference.factory.transforms.facts import ModelFacts
from inference.factory.transforms.options import DynamicInt8, Fuse, Half, Optimize, Options, Slim, StaticInt8
from inference.factory.transforms.processor import Int8Support

CPU, GPU = "cpu", "gpu"
MIN_WEIGHTS = 100_000
"""The number of weights below which a model does not spend its time on multiplying them."""
DEFAULT_ERROR = 0.05
"""The bound on the relative error by which a static quantization chooses the nodes that stay in fp32."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A transformation that suits the model, or the reason why it does not."""

    name: str
    options: Options | None
    why_not: str = ""


def transformations(facts: ModelFacts, device: str, int8: Int8Support) -> tuple[Offer, ...]:
    """Return an offer for each transformation, in the order in which they are worth a try."""
    return tuple(_offers(facts, device, int8))


def _offers(facts: ModelFacts, device: str, int8: Int8Support) -> Iterator[Offer]:
    yield Offer(Optimize.name, Optimize("extended" if device == CPU else "basic"))
    yield Offer(Slim.name, Slim())
    yield _fuse(facts)
    yield _half(facts, device)
    yield Offer(
        "bf16", None, "ONNX Runtime has bf16 kernels for few operators, and no tool here converts a graph to them"
    )
    yield _dynamic(facts, device, int8)
    yield _static(facts, device, int8)


def _fuse(facts: ModelFacts) -> Offer:
    if facts.count("Attention", "MultiHeadAttention"):
        return Offer(Fuse.name, None, "its attention is fused already")
    if not facts.count("Softmax") or facts.count("MatMul") < 2:
        return Offer(Fuse.name, None, "it has no attention: no Softmax between products of matrices")
    return Offer(Fuse.name, Fuse())


def _half(facts: ModelFacts, device: str) -> Offer:
    if device != GPU:
        return Offer(Half.name, None, "a CPU computes in fp32 and would only convert; fp16 gains on a GPU")
    if facts.is_quantized:
        return Offer(Half.name, None, "it is quantized already")
    return Offer(Half.name, Half())


def _dynamic(facts: ModelFacts, device: str, int8: Int8Support) -> Offer:
    why_not = _why_no_int8(facts, device)
    if not why_not and facts.weights("MatMul", "Gemm", "Attention") < MIN_WEIGHTS:
        why_not = f"its products of matrices have fewer than {MIN_WEIGHTS:,} weights; int8 would not be faster"
    if why_not:
        return Offer(DynamicInt8.name, None, why_not)
    return Offer(DynamicInt8.name, DynamicInt8(reduce_range=int8.reduce_range))


def _static(facts: ModelFacts, device: str, int8: Int8Support) -> Offer:
    why_not = _why_no_int8(facts, device)
    if not why_not and facts.weights("Conv", "MatMul", "Gemm") < MIN_WEIGHTS:
        why_not = f"its convolutions and products have fewer than {MIN_WEIGHTS:,} weights; int8 would not be faster"
    if why_not:
        return Offer(StaticInt8.name, None, why_not)
    options = StaticInt8(reduce_range=int8.reduce_range, activations=int8.activations, max_error=DEFAULT_ERROR)
    return Offer(StaticInt8.name, options)


def _why_no_int8(facts: ModelFacts, device: str) -> str:
    if device == GPU:
        return "the kernels of ONNX Runtime for int8 are for CPUs; on a GPU the graph would be converted back"
    if facts.is_quantized:
        return "it is quantized already"
    if facts.has_functions:
        return "it has functions of its own, which the quantizer does not follow"
    return ""
