"""Test what the processor's features say about int8."""

import pytest

from inference.factory.transforms import int8_support


@pytest.mark.parametrize(
    ("features", "dot_products", "reduce_range", "activations"),
    [
        ("AMD EPYC x86_64 fpu sse4_2 avx avx2 fma", (), True, "uint8"),
        ("Intel Xeon x86_64 avx2 avx512f avx512_vnni amx_int8", ("amx_int8", "avx512_vnni"), False, "uint8"),
        ("Intel Core x86_64 avx2 avx_vnni", ("avx_vnni",), False, "uint8"),
        ("Neoverse aarch64 fp asimd asimddp i8mm", ("asimddp", "i8mm"), False, "int8"),
        ("Cortex aarch64 fp asimd", (), True, "int8"),
    ],
)
def test_the_range_and_the_type_follow_from_the_instructions(
    features: str, dot_products: tuple[str, ...], reduce_range: bool, activations: str
) -> None:
    found = int8_support(features)
    assert (found.dot_products, found.reduce_range, found.activations) == (dot_products, reduce_range, activations)
    assert found.is_fast == bool(dot_products)


def test_this_machine_is_asked_by_default() -> None:
    assert int8_support() == int8_support()
