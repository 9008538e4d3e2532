"""The conversion to fp16, as a program."""

from onnxruntime.transformers.float16 import convert_float_to_float16

from .serving import Rewritten, Source, served


def rewrite(source: Source) -> Rewritten:
    """Convert all but the operators that lose too much, and the inputs and outputs."""
    result = convert_float_to_float16(source.model, keep_io_types=True)
    casts = sum(node.op_type == "Cast" for node in result.graph.node)
    return Rewritten(result, {"casts": casts})


handle = served(rewrite)
