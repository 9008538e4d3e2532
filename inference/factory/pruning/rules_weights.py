"""Rules of operators with weights, where units begin and end, and of attention, which has heads as its units."""

import math
from itertools import pairwise

import numpy as np

from inference.factory.pruning.errors import Coarsen, Refused
from inference.factory.pruning.groups import Bias, Sink, Source
from inference.factory.pruning.labels import Labels
from inference.factory.pruning.rules_values import elementwise
from inference.factory.pruning.tracing import Port, Rule, Visit

_INPUT, _WEIGHT, _OUTPUT = Port(False, 0), Port(False, 1), Port(True, 0)
_CHANNEL = 1


def conv(visit: Visit) -> None:
    groups = visit.attributes.get("group", 1)
    if visit.port not in (_INPUT, _OUTPUT) or visit.axis != _CHANNEL:
        raise visit.refuse("its units are not the channels")
    if not visit.has_weight(1):
        raise visit.refuse("its weight is not a constant of floating point numbers")
    transposed = visit.node.op_type == "ConvTranspose"
    if groups == 1:
        made, read = (1, 0) if transposed else (0, 1)
        if visit.port.is_output:
            _make_units(visit, made)
        else:
            _read_units(visit, read, _conv_bias(visit), None)
    elif not transposed and visit.shape(_WEIGHT)[:2] == (groups, 1) and visit.shape(_INPUT)[1] == groups:
        visit.mark(_WEIGHT, 0)
        if len(visit.inputs()) > 2:
            visit.mark(Port(False, 2), 0)
        visit.set_count("group", visit.labels)
        visit.mark(Port(not visit.port.is_output, 0), _CHANNEL)
    else:
        raise visit.refuse("its channels are in groups")


def _conv_bias(visit: Visit) -> Bias | None:
    """Return where a constant can be added. At a padded border the sum lacks parts, so that no constant fits there."""
    padded = any(visit.attributes.get("pads", ())) or visit.attributes.get("auto_pad", b"NOTSET") != b"NOTSET"
    known = len(visit.inputs()) < 3 or visit.has_weight(2)
    return None if padded or not known or visit.node.op_type == "ConvTranspose" else Bias(visit.index, 2)


def gemm(visit: Visit) -> None:
    given = visit.attributes
    if given.get("transA") or not visit.has_weight(1) or visit.axis != 1 or visit.port == _WEIGHT:
        raise visit.refuse("its units are rows, or its weight is not constant")
    read, made = (1, 0) if given.get("transB") else (0, 1)
    if visit.port == _INPUT:
        scaled = given.get("alpha", 1.0) != 1 or given.get("beta", 1.0) != 1
        added = Port(False, 2)
        fits = not visit.name(added) or (visit.has_weight(2) and visit.shape(added)[-1:] == visit.shape(_OUTPUT)[-1:])
        bias = Bias(visit.index, 2) if fits and not scaled else None
        target = None if scaled else _target(visit, visit.name(_OUTPUT))
        _read_units(visit, read, bias, target)
        return
    _make_units(visit, made, bias=False)
    if len(visit.inputs()) > 2:
        shape = visit.shape(Port(False, 2))
        if visit.port == _OUTPUT and shape and shape[-1] != 1:
            visit.mark(Port(False, 2), len(shape) - 1)
    if visit.port != _OUTPUT:
        visit.mark(_OUTPUT, 1)


def matmul(visit: Visit) -> None:
    left, right = visit.has_weight(0), visit.has_weight(1)
    if left:
        raise visit.refuse("its weight is on the left")
    if not right:
        _multiply(visit)
        return
    rank, shape = len(visit.shape(_INPUT)), visit.shape(_WEIGHT)
    if len(shape) != 2 or rank < 2:
        raise visit.refuse("its weight is not a matrix")
    if visit.axis != rank - 1:
        visit.mark(Port(not visit.port.is_output, 0), visit.axis)
    elif visit.port.is_output:
        _make_units(visit, 1)
    else:
        bias, last = _following_bias(visit)
        _read_units(visit, 0, bias, _target(visit, last))


def _multiply(visit: Visit) -> None:
    """Follow units through a product of two computed tensors."""
    rank = len(visit.shape(visit.port))
    from_end = rank - visit.axis
    if min(len(visit.shape(_INPUT)), len(visit.shape(_WEIGHT))) < 2:
        raise visit.refuse("it multiplies vectors")
    if from_end > 2:
        elementwise(visit)
    elif visit.port == _OUTPUT:
        port = _INPUT if from_end == 2 else _WEIGHT
        visit.mark(port, len(visit.shape(port)) - from_end)
    elif (visit.port == _INPUT) == (from_end == 2):
        visit.mark(_OUTPUT, len(visit.shape(_OUTPUT)) - from_end)
    else:
        other = _WEIGHT if visit.port == _INPUT else _INPUT
        visit.mark(other, len(visit.shape(other)) - (3 - from_end))


def _make_units(visit: Visit, axis: int, bias: bool = True) -> None:
    if visit.shape(_WEIGHT)[axis] != len(visit.labels):
        raise visit.refuse("its weight has another size than its result")
    visit.mark(_WEIGHT, axis)
    if bias and len(visit.inputs()) > 2:
        visit.mark(Port(False, 2), 0)
    visit.trace.add_source(Source(visit.index, visit.labels))


def _read_units(visit: Visit, axis: int, bias: Bias | None, target: str | None) -> None:
    visit.mark(_WEIGHT, axis)
    sizes = [size for position, size in enumerate(visit.shape(_WEIGHT)) if position != axis and isinstance(size, int)]
    tensor, results = visit.name(_INPUT), math.prod(sizes)
    visit.trace.add_sink(Sink(visit.index, tensor, visit.axis, 1, axis, visit.labels, results, bias, target))


def _only_reader(visit: Visit, name: str) -> tuple[int, int] | None:
    graph = visit.trace.graph
    readers = graph.readers.get(name, [])
    return readers[0] if len(readers) == 1 and name not in graph.outputs | graph.used_in_subgraphs else None


def _following_bias(visit: Visit) -> tuple[Bias | None, str]:
    """Return the constant that is added to the product, and the name of the sum; else the name of the product."""
    graph, name = visit.trace.graph, visit.name(_OUTPUT)
    reader = _only_reader(visit, name)
    if reader is None or graph.nodes[reader[0]].op_type != "Add":
        return None, name
    other = graph.nodes[reader[0]].input[1 - reader[1]]
    if not graph.is_weight(other) or (graph.shape(other) or ())[-1:] != visit.shape(_WEIGHT)[-1:]:
        return None, name
    return Bias(reader[0], 1 - reader[1]), str(graph.nodes[reader[0]].output[0])


def _target(visit: Visit, name: str) -> str:
    """Return the sum that the result goes into, if it goes nowhere else; else the result."""
    graph = visit.trace.graph
    reader = _only_reader(visit, name)
    if reader is None or graph.nodes[reader[0]].op_type != "Add":
        return name
    other = graph.nodes[reader[0]].input[1 - reader[1]]
    same = graph.shape(other) == graph.shape(name) and graph.constant(other) is None
    return str(graph.nodes[reader[0]].output[0]) if same else name


def _by_head(labels: Labels, heads: int) -> Labels:
    """Return the label of each head. Units within a head are joined."""
    if not heads or len(labels) % heads:
        raise Refused("the heads of an attention have two sizes")
    rows = labels.reshape(heads, -1)
    if (rows != rows[:, :1]).any():
        raise Coarsen([frozenset((int(a), int(b)) for row in rows for a, b in pairwise(row))])
    return rows[:, 0]


def fused_attention(visit: Visit) -> None:
    """Follow heads through ONNX Runtime's attention with its own weights."""
    extra = any(visit.node.input[4:])
    if visit.port != _OUTPUT or visit.axis != 2 or extra or not visit.has_weight(1) or len(visit.outputs()) > 1:
        raise visit.refuse("its units are not the heads, or it has inputs that depend on them")
    heads = visit.attributes["num_heads"]
    by_head = _by_head(visit.labels, heads)
    total = visit.shape(_WEIGHT)[1]
    sizes = visit.attributes.get("qkv_hidden_sizes") or [total // 3 if isinstance(total, int) else 0] * 3
    if sum(sizes) != total:
        raise visit.refuse("its weight has another size than its parts")
    parts = [np.repeat(by_head, size // heads) for size in sizes]
    columns = np.concatenate(parts)
    visit.mark(_WEIGHT, 1, columns)
    if visit.name(Port(False, 2)):
        visit.mark(Port(False, 2), 0, columns)
    visit.set_count("num_heads", by_head)
    for index, part in enumerate(parts):
        visit.set_list_entry("qkv_hidden_sizes", index, part)
    visit.trace.add_source(Source(visit.index, columns))


def multi_head_attention(visit: Visit) -> None:
    """Follow heads through ONNX Runtime's attention of three computed tensors."""
    ports = [Port(False, index) for index in range(3)]
    computed = [*ports, _OUTPUT]
    if visit.port not in computed or visit.axis != 2 or any(visit.node.input[5:]) or len(visit.outputs()) > 1:
        raise visit.refuse("its units are not the heads, or it has inputs that depend on them")
    heads = visit.attributes["num_heads"]
    by_head = _by_head(visit.labels, heads)
    sizes = [visit.shape(port)[2:] for port in computed]
    if not all(len(size) == 1 and isinstance(size[0], int) for size in sizes):
        raise visit.refuse("the sizes of its heads are not known")
    parts = [np.repeat(by_head, int(size[0] or 0) // heads) for size in sizes]
    for port, part in zip(computed, parts, strict=True):
        visit.mark(port, 2, part)
    if visit.name(Port(False, 3)):
        visit.mark(Port(False, 3), 0, np.concatenate(parts[:3]))
    visit.set_count("num_heads", by_head)


def attention(visit: Visit) -> None:
    """Follow heads through ONNX's attention with an axis of heads."""
    ports = [Port(False, index) for index in range(3)]
    mask = visit.shape(Port(False, 3)) if visit.name(Port(False, 3)) else ()
    spread = len(mask) < 3 or mask[-3] == 1
    if visit.axis != 1 or any(visit.node.input[4:]) or len(visit.outputs()) > 1 or not spread:
        raise visit.refuse("its units are not the heads, or it has inputs that depend on them")
    for port in (*ports, _OUTPUT):
        if len(visit.shape(port)) != 4:
            raise visit.refuse("its heads have no axis")
        visit.mark(port, 1)


RULES: dict[tuple[str, str], Rule] = {
    ("", "Conv"): conv,
    ("", "ConvTranspose"): conv,
    ("", "Gemm"): gemm,
    ("", "MatMul"): matmul,
    ("", "Attention"): attention,
    ("com.microsoft", "Attention"): fused_attention,
    ("com.microsoft", "MultiHeadAttention"): multi_head_attention,
}
