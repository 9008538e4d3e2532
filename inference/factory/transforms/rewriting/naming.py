"""Names for nodes, by which transformations include and exclude them."""

from onnx import ModelProto


def with_names(model: ModelProto) -> ModelProto:
    """Give every node a name of its own. A name that is free and is used once stays."""
    used: set[str] = set()
    for number, node in enumerate(model.graph.node):
        if not node.name or node.name in used:
            node.name = f"{node.op_type}.{number}"
        used.add(node.name)
    return model
