"""The properties of each ONNX element type: its size, the field that stores its values and its name for callers."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from onnx import TensorProto


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
