"""Models whose structure is a bomb, or leads nowhere."""

from collections.abc import Mapping
from itertools import pairwise

from onnx import ModelProto, TensorProto, helper

from tests.samples.hostile_models.building import SCRIPT, HostileModel, delimited, of_node, of_nodes, saved, value


def nested_messages() -> bytes:
    graph = b""
    for _ in range(5000):
        graph = delimited(1, delimited(5, delimited(6, graph)))
    return delimited(7, graph)


def nested_branches(depth: int, *, both: bool) -> bytes:
    """Return branches within branches: in one branch of each, or in both, so that their number doubles."""
    flat = graph = helper.make_graph([of_node("Identity")], "inner", [], [value("y")])
    for level in range(depth):
        branch = helper.make_node("If", ["c"], ["y"], then_branch=graph, else_branch=graph if both else flat)
        graph = helper.make_graph([branch], f"level{level}", [], [value("y")])
    return saved(of_nodes(*graph.node, weights=[helper.make_tensor("c", TensorProto.BOOL, [], [True])]))


def many_nodes(count: int) -> bytes:
    nodes = b"".join(
        delimited(1, delimited(1, b"v%d" % number) + delimited(2, b"v%d" % (number + 1)) + delimited(4, b"Identity"))
        for number in range(count)
    )
    ends = [value("v0").SerializeToString(), value(f"v{count}").SerializeToString()]
    opset = helper.make_opsetid("", 20).SerializeToString()
    graph = nodes + delimited(2, b"g") + delimited(11, ends[0]) + delimited(12, ends[1])
    return b"\x08\x0a" + delimited(7, graph) + delimited(8, opset)


def function_bomb(levels: int, calls: int = 10) -> bytes:
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("local", 1)]
    inner = helper.make_function("local", "F0", ["a"], ["b"], [helper.make_node("Neg", ["a"], ["b"])], opsets)
    functions = [inner]
    for level in range(1, levels):
        names = ["a", *(f"t{number}" for number in range(calls - 1)), "b"]
        nodes = [
            helper.make_node(f"F{level - 1}", [before], [after], domain="local") for before, after in pairwise(names)
        ]
        functions.append(helper.make_function("local", f"F{level}", ["a"], ["b"], nodes, opsets))
    return saved(of_nodes(of_node(f"F{levels - 1}", domain="local"), functions=functions, domains=["local"]))


def mutual_functions() -> bytes:
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("local", 1)]
    functions = [
        helper.make_function(
            "local", name, ["a"], ["b"], [helper.make_node(other, ["a"], ["b"], domain="local")], opsets
        )
        for name, other in (("F", "G"), ("G", "F"))
    ]
    return saved(of_nodes(of_node("F", domain="local"), functions=functions, domains=["local"]))


def reserved_function() -> bytes:
    function = helper.make_function("", "Relu", ["a"], ["b"], [helper.make_node("Neg", ["a"], ["b"])], [])
    return saved(of_nodes(of_node("Relu"), functions=[function]))


def with_metadata(key: str, text: str) -> bytes:
    model = of_nodes(of_node("Relu"))
    model.metadata_props.add(key=key, value=text)
    return saved(model)


def with_description(text: str) -> bytes:
    model = of_nodes(of_node("Relu"))
    model.doc_string = model.graph.doc_string = text
    return saved(model)


def trained() -> bytes:
    model = of_nodes(of_node("Relu"))
    model.training_info.add().algorithm.name = "step"
    return saved(model)


def many_inputs(count: int, longest: int = 10) -> bytes:
    names = [f"x{number}".ljust(longest, "ä") for number in range(count)]
    return saved(of_nodes(of_node("Sum", *names), inputs=[value(name) for name in names]))


def cyclic() -> bytes:
    return saved(of_nodes(of_node("Add", "x", "a"), helper.make_node("Neg", ["y"], ["a"])))


STRUCTURES: Mapping[str, HostileModel] = {
    "nested messages": HostileModel(nested_messages),
    "nested branches": HostileModel(lambda: nested_branches(12, both=True)),
    "deeply nested branches": HostileModel(lambda: nested_branches(30, both=False)),
    "million nodes": HostileModel(lambda: many_nodes(1_000_000)),
    "many nodes": HostileModel(lambda: many_nodes(60_000)),
    "huge text attribute": HostileModel(lambda: saved(of_nodes(of_node("Relu", note="a" * 30_000_000)))),
    "huge metadata": HostileModel(lambda: with_metadata("note", "a" * 50_000_000)),
    "huge description": HostileModel(lambda: with_description("a" * 25_000_000)),
    "metadata of a page": HostileModel(lambda: with_metadata(SCRIPT, SCRIPT)),
    "settings of the server": HostileModel(lambda: with_metadata("ort_config", '{"session_options": {}}')),
    "many inputs": HostileModel(lambda: many_inputs(10_000)),
    "long names of inputs": HostileModel(lambda: many_inputs(256, 250)),
    "function bomb": HostileModel(lambda: function_bomb(9)),
    "small function bomb": HostileModel(lambda: function_bomb(4)),
    "functions that call each other": HostileModel(mutual_functions),
    "function in the standard domain": HostileModel(reserved_function),
    "training graphs": HostileModel(trained),
    "cycle": HostileModel(cyclic),
    "output that is made twice": HostileModel(lambda: saved(of_nodes(of_node("Relu"), of_node("Neg")))),
    "missing weight": HostileModel(lambda: saved(of_nodes(of_node("Add", "x", "nowhere")))),
    "missing output": HostileModel(lambda: saved(of_nodes(of_node("Relu"), outputs=[value("z")]))),
    "no outputs": HostileModel(lambda: saved(ModelProto(ir_version=10))),
}
