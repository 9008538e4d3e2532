"""Checks that a tensor in a model file contains its own data, and exactly as much as it declares."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from onnx import SparseTensorProto, TensorProto

from inference.registry.admission.errors import ModelRefused


@dataclass(frozen=True, slots=True)
class ElementType:
    bits: int | None
    """The size of an element in bits, or None if elements have no fixed size (strings)."""
    storage: str
    """The TensorProto field that holds values which are not in `raw_data`."""
    entries_per_element: int = 1
    elements_per_entry: int = 1
    datatype: str | None = None
    """The name in the Open Inference Protocol, or None if callers cannot send or receive the type."""


ELEMENT_TYPES: Mapping[int, ElementType] = MappingProxyType(
    {
        TensorProto.FLOAT: ElementType(32, "float_data", datatype="FP32"),
        TensorProto.DOUBLE: ElementType(64, "double_data", datatype="FP64"),
        TensorProto.FLOAT16: ElementType(16, "int32_data", datatype="FP16"),
        TensorProto.BFLOAT16: ElementType(16, "int32_data"),
        TensorProto.BOOL: ElementType(8, "int32_data", datatype="BOOL"),
        TensorProto.INT8: ElementType(8, "int32_data", datatype="INT8"),
        TensorProto.INT16: ElementType(16, "int32_data", datatype="INT16"),
        TensorProto.INT32: ElementType(32, "int32_data", datatype="INT32"),
        TensorProto.INT64: ElementType(64, "int64_data", datatype="INT64"),
        TensorProto.UINT8: ElementType(8, "int32_data", datatype="UINT8"),
        TensorProto.UINT16: ElementType(16, "int32_data", datatype="UINT16"),
        TensorProto.UINT32: ElementType(32, "uint64_data", datatype="UINT32"),
        TensorProto.UINT64: ElementType(64, "uint64_data", datatype="UINT64"),
        TensorProto.STRING: ElementType(None, "string_data", datatype="BYTES"),
        TensorProto.COMPLEX64: ElementType(64, "float_data", entries_per_element=2),
        TensorProto.COMPLEX128: ElementType(128, "double_data", entries_per_element=2),
        TensorProto.FLOAT8E4M3FN: ElementType(8, "int32_data"),
        TensorProto.FLOAT8E4M3FNUZ: ElementType(8, "int32_data"),
        TensorProto.FLOAT8E5M2: ElementType(8, "int32_data"),
        TensorProto.FLOAT8E5M2FNUZ: ElementType(8, "int32_data"),
        TensorProto.FLOAT8E8M0: ElementType(8, "int32_data"),
        TensorProto.UINT4: ElementType(4, "int32_data", elements_per_entry=2),
        TensorProto.INT4: ElementType(4, "int32_data", elements_per_entry=2),
        TensorProto.FLOAT4E2M1: ElementType(4, "int32_data", elements_per_entry=2),
        TensorProto.UINT2: ElementType(2, "int32_data", elements_per_entry=4),
        TensorProto.INT2: ElementType(2, "int32_data", elements_per_entry=4),
    }
)

STORAGE_FIELDS = tuple(sorted({element.storage for element in ELEMENT_TYPES.values()}))


MAX_RANK = 64


def checked_tensor_bytes(tensor: TensorProto) -> int:
    """Return the bytes that the tensor takes once loaded."""
    if tensor.external_data or tensor.data_location != TensorProto.DEFAULT:
        raise ModelRefused(
            "external_data_forbidden",
            f"Tensor '{tensor.name}' keeps its data in another file; save the model with its data inside.",
        )
    element = _element_type(tensor)
    elements = _element_count(tuple(tensor.dims), tensor.name)
    if tensor.HasField("segment"):
        raise _mismatch(tensor.name, "is one segment of several")
    if tensor.HasField("raw_data"):
        _check_raw_data(tensor, element, elements)
    else:
        _check_typed_data(tensor, element, elements)
    if element.bits is None:
        return sum(len(text) for text in tensor.string_data)
    return _packed_bytes(elements, element.bits)


def checked_sparse_tensor_bytes(sparse: SparseTensorProto) -> int:
    """Return the bytes that the tensor takes once ONNX Runtime has made it dense."""
    checked_tensor_bytes(sparse.indices)
    values_bytes = checked_tensor_bytes(sparse.values)
    bits = ELEMENT_TYPES[sparse.values.data_type].bits
    if bits is None:
        raise _mismatch(sparse.values.name, "is a sparse tensor of strings")
    return max(values_bytes, _packed_bytes(_element_count(tuple(sparse.dims), sparse.values.name), bits))


def _element_type(tensor: TensorProto) -> ElementType:
    element = ELEMENT_TYPES.get(tensor.data_type)
    if element is None:
        raise _mismatch(tensor.name, f"has element type {tensor.data_type}, which is not supported")
    return element


def _element_count(dims: tuple[int, ...], name: str) -> int:
    if len(dims) > MAX_RANK:
        raise _mismatch(name, f"has {len(dims)} dimensions, more than {MAX_RANK}")
    if any(size < 0 for size in dims):
        raise _mismatch(name, f"has a negative dimension in {list(dims)}")
    return math.prod(dims)


def _check_raw_data(tensor: TensorProto, element: ElementType, elements: int) -> None:
    if element.bits is None:
        raise _mismatch(tensor.name, "is of strings but has raw data")
    if any(len(getattr(tensor, field)) for field in STORAGE_FIELDS):
        raise _mismatch(tensor.name, "has its data twice")
    declared = _packed_bytes(elements, element.bits)
    if declared != len(tensor.raw_data):
        raise _mismatch(tensor.name, f"declares {declared} bytes and holds {len(tensor.raw_data)}")


def _check_typed_data(tensor: TensorProto, element: ElementType, elements: int) -> None:
    for field in STORAGE_FIELDS:
        held = len(getattr(tensor, field))
        declared = 0
        if field == element.storage:
            declared = -(-elements * element.entries_per_element // element.elements_per_entry)
        if held != declared:
            raise _mismatch(tensor.name, f"declares {declared} entries of {field} and holds {held}")


def _packed_bytes(elements: int, bits: int) -> int:
    return -(-elements * bits // 8)


def _mismatch(name: str, what: str) -> ModelRefused:
    return ModelRefused("tensor_data_mismatch", f"Tensor '{name}' {what}.")
