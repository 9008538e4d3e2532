"""Models with names that do harm where they are shown."""

from collections.abc import Iterator, Mapping
from functools import partial

from onnx import TensorProto, helper

from tests.samples.hostile_models.building import FLOATS, SCRIPT, HostileModel, of_node, of_nodes, saved, value
from tests.samples.hostile_models.tensors import adder


def named(node: str = "n", first: str = "x", last: str = "y", size: str = "n") -> bytes:
    node_of = helper.make_node("Relu", [first], [last], name=node)
    return saved(of_nodes(node_of, inputs=[value(first, [size, 4])], outputs=[value(last, [size, 4])]))


def _names() -> Iterator[tuple[str, HostileModel]]:
    for what, text in (
        ("a line break", "a\nb"),
        ("control characters", "\x1b[2J\x07\x00"),
        ("a page", SCRIPT),
        ("a megabyte", "a" * 1_000_000),
        ("a path", "../../etc/passwd"),
        ("an end of a query", "'; DROP TABLE inference_modelversion; --"),
        ("a right-to-left mark", "\u202egpj.exe"),
    ):
        yield f"node named with {what}", HostileModel(partial(named, node=text))
        yield f"input named with {what}", HostileModel(partial(named, first=text))
        yield f"output named with {what}", HostileModel(partial(named, last=text))
        yield f"size named with {what}", HostileModel(partial(named, size=text))
    yield "operator named with a page", HostileModel(lambda: saved(of_nodes(of_node(SCRIPT))))
    yield (
        "weight named with a page",
        HostileModel(lambda: adder(TensorProto(name=SCRIPT, data_type=FLOATS, dims=[4], raw_data=b"short"))),
    )


NAMES: Mapping[str, HostileModel] = dict(_names())
