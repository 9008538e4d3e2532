"""The instructions of a processor by which int8 is faster or not, and exact or not."""

from dataclasses import dataclass

from inference.runtime.machine import processor_features

_X86_DOT = frozenset({"avx512_vnni", "avx_vnni", "amx_int8"})
_ARM_DOT = frozenset({"asimddp", "i8mm"})


@dataclass(frozen=True, slots=True)
class Int8Support:
    dot_products: tuple[str, ...]
    """The instructions that multiply and add int8 in 32 bits."""
    is_arm: bool = False

    @property
    def is_fast(self) -> bool:
        return bool(self.dot_products)

    @property
    def reduce_range(self) -> bool:
        """Return whether weights need 7 bits: AVX2 adds two products in 16 bits, which 8 bits would overflow."""
        return not self.dot_products

    @property
    def activations(self) -> str:
        """Return the type of activations that the kernels of this processor are made for."""
        return "int8" if self.is_arm else "uint8"


def int8_support(features: str | None = None) -> Int8Support:
    """Return the support by the processor's features, those of this machine by default."""
    words = frozenset((processor_features() if features is None else features).split())
    is_arm = "aarch64" in words or "asimd" in words
    return Int8Support(tuple(sorted(words & (_ARM_DOT if is_arm else _X86_DOT))), is_arm)
