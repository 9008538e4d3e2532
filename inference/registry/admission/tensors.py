"""Checks that a tensor in a model file contains its own data, and exactly as much as it declares."""

import math

from onnx import SparseTensorProto, TensorProto

from inference.registry.admission.element_types import ELEMENT_TYPES, STORAGE_FIELDS, ElementType
from inference.registry.admission.errors import ModelRefused

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
