"""Register ONNX models in a pool of their own, so that the models of other tests do not interfere."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from inference.engine.engine import local_engine
from inference.registry.models import ModelPool, ModelVersion, ServedModel
from inference.registry.services import ModelCard, NewVersion, add_version
from inference.workers.placement.catalog import UNMEASURED_BYTES, UNMEASURED_FACTOR
from jobs.worker.versions import VersionCatalog
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.prices import Price
from tests.fixtures import unique

INPUTS = 32
"""The number of inputs, large enough that a run takes little memory compared with the weights."""
SIGNATURE = {
    "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, INPUTS]}],
    "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 1]}],
}
ONE_ROW: dict[str, Any] = {"tensors": [{"name": "x", "datatype": "FP32", "shape": [1, INPUTS], "data": [1.0] * INPUTS}]}


@dataclass(frozen=True)
class PoolOfModels:
    name: str
    versions: tuple[ModelVersion, ...]

    @property
    def keys(self) -> list[str]:
        return [version.key for version in self.versions]


def pool_of_models(
    count: int, folder: Path, *, strategy: str = "sticky", size_bytes: int = 1_000_000, layers: int = 1
) -> PoolOfModels:
    """Register models with about this many bytes of weights each, which no two of them share."""
    name = unique("pool")
    with operator_work():
        pool = ModelPool.objects.create(name=name, strategy=strategy)
        versions = tuple(
            _add(
                f"{name}-{number:03}",
                pool,
                save_model(folder / "model.onnx", size_bytes, layers, seed=number),
            )
            for number in range(count)
        )
    return PoolOfModels(name, versions)


def room_for(models: float, size_bytes: int) -> int:
    """Return the memory for this many models of this size, of which the last has not been measured yet."""
    return round((models - 1) * _held_bytes(size_bytes) + UNMEASURED_FACTOR * size_bytes + UNMEASURED_BYTES)


@cache
def _held_bytes(size_bytes: int) -> int:
    """Return the memory that a model of this size takes, as the session host measures it."""
    with TemporaryDirectory() as folder:
        (version,) = pool_of_models(1, Path(folder), size_bytes=size_bytes).versions
        engine = local_engine(memory_bytes=10_000_000_000)
        engine.load(VersionCatalog().get(version.id))
    return engine.host.held_bytes


def _add(name: str, pool: ModelPool, file: Path) -> ModelVersion:
    price = Price.from_json({"meter": "call", "amount_micros": 1, "per": 1, "currency": "EUR"})
    card = ModelCard(name=name, title="", description="", accepts=("tensors",), price=price)
    version = add_version(card=card, new=NewVersion(runtime="onnx", files={"weights": file}, signature=SIGNATURE))
    ServedModel.objects.filter(id=version.served_model_id).update(pool=pool)
    return version


def save_model(path: Path, size_bytes: int, layers: int, seed: int) -> Path:
    """Save a model of sums of products, which reads all of its weights in each run."""
    width = max(1, size_bytes // layers // 4 // INPUTS)
    weights = np.random.default_rng(seed)
    nodes, initializers, sums = [], [], []
    for layer in range(layers):
        weight = weights.standard_normal((INPUTS, width), np.float32)
        initializers.append(numpy_helper.from_array(weight, f"w{layer}"))
        nodes.append(helper.make_node("MatMul", ["x", f"w{layer}"], [f"h{layer}"]))
        nodes.append(helper.make_node("ReduceMax", [f"h{layer}", "axis"], [f"s{layer}"], keepdims=1))
        sums.append(f"s{layer}")
    nodes.append(helper.make_node("Sum", sums, ["y"]))
    initializers.append(numpy_helper.from_array(np.array([1]), "axis"))
    graph = helper.make_graph(
        nodes,
        f"model {seed} {path.parent.name}",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", INPUTS])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 1])],
        initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.save(model, path)
    return path
