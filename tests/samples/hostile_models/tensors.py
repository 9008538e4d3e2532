"""Models whose tensors are elsewhere, or are not what they declare."""

from collections.abc import Mapping, Sequence

from onnx import SparseTensorProto, TensorProto, helper

from tests.samples.hostile_models.building import FLOATS, HostileModel, of_node, of_nodes, saved, value


def adder(weight: TensorProto) -> bytes:
    """Return a model that adds this weight."""
    return saved(of_nodes(of_node("Add", "x", weight.name), weights=[weight]))


def raw_tensor(dims: Sequence[int], data: bytes = b"", kind: int = FLOATS) -> TensorProto:
    return TensorProto(name="w", data_type=kind, dims=list(dims), raw_data=data)


def external(location: str, offset: int = 0, length: int = 16) -> bytes:
    tensor = TensorProto(name="w", data_type=FLOATS, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, text in (("location", location), ("offset", str(offset)), ("length", str(length))):
        tensor.external_data.add(key=key, value=text)
    return adder(tensor)


def sparse(indices: Sequence[int], dims: Sequence[int]) -> bytes:
    values = TensorProto(name="w", data_type=FLOATS, dims=[len(indices)], float_data=[1.0] * len(indices))
    places = TensorProto(data_type=TensorProto.INT64, dims=[len(indices)], int64_data=list(indices))
    model = of_nodes(of_node("Add", "x", "w"))
    model.graph.sparse_initializer.append(SparseTensorProto(values=values, indices=places, dims=list(dims)))
    return saved(model)


def constant_texts() -> bytes:
    texts = TensorProto(name="w", data_type=TensorProto.STRING, dims=[2], string_data=[b"a\x00b", b"\xff\xfe"])
    nodes = [helper.make_node("Identity", ["w"], ["y"]), helper.make_node("Relu", ["x"], ["z"])]
    return saved(of_nodes(*nodes, outputs=[value("y", [2], TensorProto.STRING), value("z")], weights=[texts]))


TENSORS: Mapping[str, HostileModel] = {
    "external file, absolute": HostileModel(lambda: external("/etc/passwd")),
    "external file, above": HostileModel(lambda: external("../../../etc/passwd")),
    "external file, far away": HostileModel(lambda: external("weights.bin", offset=2**62, length=2**62)),
    "external file, memory": HostileModel(lambda: external("*/_ORT_MEM_ADDR_/*", offset=0x400000)),
    "negative size": HostileModel(lambda: adder(raw_tensor([-1, 4], bytes(16)))),
    "largest size": HostileModel(lambda: adder(raw_tensor([2**63 - 1], bytes(16)))),
    "product that overflows": HostileModel(lambda: adder(raw_tensor([2**32, 2**32]))),
    "less data than declared": HostileModel(lambda: adder(raw_tensor([4], bytes(15)))),
    "more data than declared": HostileModel(lambda: adder(raw_tensor([4], bytes(1_000_000)))),
    "no data": HostileModel(lambda: adder(raw_tensor([1 << 40]))),
    "100 dimensions": HostileModel(lambda: adder(raw_tensor([1] * 100, bytes(4)))),
    "unknown element type": HostileModel(lambda: adder(raw_tensor([4], bytes(16), kind=99))),
    "sparse, out of range": HostileModel(lambda: sparse([0, 4_000_000], [4])),
    "sparse, negative": HostileModel(lambda: sparse([-5, 2], [4])),
    "sparse, out of order": HostileModel(lambda: sparse([3, 0, 3], [4])),
    "sparse bomb": HostileModel(lambda: sparse([0], [2**40])),
    "sparse, product that overflows": HostileModel(lambda: sparse([0], [2**32, 2**32])),
    "texts that are no texts": HostileModel(constant_texts),
}
