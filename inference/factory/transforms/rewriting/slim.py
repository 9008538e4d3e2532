"""OnnxSlim, as a program."""

import onnxslim

from .serving import Refused, Rewritten, Source, served


def rewrite(source: Source) -> Rewritten:
    before = len(source.model.graph.node)
    result = onnxslim.slim(source.model)
    if result is None:
        raise Refused("transformation_failed", "OnnxSlim gave no model")
    notes = {"nodes_before": before, "nodes_after": len(result.graph.node)}
    return Rewritten(result, notes, {"onnxslim": onnxslim.__version__})


handle = served(rewrite)
