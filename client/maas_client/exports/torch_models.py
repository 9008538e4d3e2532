"""The sources of torch modules: a function that makes one, a program of torch.export, or a TorchScript file."""

import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from maas_client.exports.errors import CannotExport
from maas_client.exports.input_specs import SIZES, InputSpec, drawn
from maas_client.exports.torch_graphs import Original, Tensors, parameters

Given = Mapping[str, np.ndarray[Any, Any]]


def original(source: str, specs: Sequence[InputSpec], given: Given | None) -> Original:
    """Load the source: `module:factory`, a .pt2 file or a TorchScript file. A factory runs code of the caller."""
    module, examples = _loaded(source)
    labels = {"module": source if ":" in source else Path(source).name}
    if specs:
        cases: list[Tensors] = [_ordered(module, _tensors(drawn(specs, case))) for case in range(len(SIZES))]
        dynamic: Mapping[str, Sequence[int]] = {spec.name: spec.dynamic() for spec in specs}
        return Original(module, cases, dynamic, f"{len(cases)} generated inputs", labels)
    if given is None and examples is None:
        raise CannotExport(
            f"{source} comes without inputs. Declare them: --input x=float32[batch,3,224,224], or give --inputs FILE."
        )
    first = _named(module, examples) if given is None else _ordered(module, _tensors(given))
    cases, dynamic = _batches(first)
    return Original(module, cases, dynamic, f"{'the example' if given is None else 'given'} inputs", labels)


def _loaded(source: str) -> tuple[Any, Sequence[Any] | None]:
    path = Path(source)
    if path.suffix == ".pt2":
        program = torch.export.load(path)
        examples = program.example_inputs
        return program.module(), examples[0] if examples else None
    if path.is_file():
        return _script(path), None
    name, _, factory = source.partition(":")
    if not factory:
        raise CannotExport(f"There is no file {source!r}. Give a file, or module:factory.")
    return _made(name, factory)


def _script(path: Path) -> Any:
    try:
        return torch.jit.load(path, map_location="cpu").eval()
    except RuntimeError as error:
        raise CannotExport(
            f"{path.name} is no TorchScript file. A file of torch.save holds only weights or a pickle: write a "
            "function that makes the module and loads them, and give it as module:function."
        ) from error


def _made(name: str, factory: str) -> tuple[Any, Sequence[Any] | None]:
    """Call the function. It returns a module, or a module and a tuple of example inputs."""
    sys.path.insert(0, "")
    try:
        made = getattr(importlib.import_module(name), factory)()
    except (ImportError, AttributeError) as error:
        raise CannotExport(f"{name}:{factory} cannot be loaded from the current folder: {error}") from error
    module, examples = made if isinstance(made, tuple) else (made, None)
    if not isinstance(module, torch.nn.Module):
        raise CannotExport(f"{name}:{factory} returns a {type(module).__name__}, and not a torch.nn.Module.")
    return module.cpu().eval(), examples


def _named(module: Any, examples: Sequence[Any] | None) -> Tensors:
    tensors = [examples] if isinstance(examples, torch.Tensor) else list(examples or ())
    names = parameters(module)
    if not tensors or not all(isinstance(tensor, torch.Tensor) for tensor in tensors) or len(tensors) > len(names):
        raise CannotExport("The example inputs are no tuple of tensors, one for each input of the module.")
    return dict(zip(names, tensors, strict=False))


def _ordered(module: Any, tensors: Tensors) -> Tensors:
    """Return the inputs in the module's order, if they have its names. Else they are in their own order."""
    names = parameters(module)
    return {name: tensors[name] for name in names if name in tensors} if set(tensors) <= set(names) else tensors


def _tensors(arrays: Given) -> Tensors:
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}


def _batches(first: Tensors) -> tuple[list[Tensors], Mapping[str, Sequence[int]]]:
    """Return batches of other sizes if all inputs have one size in common, which then is the batch's."""
    sizes = {tensor.shape[0] if tensor.ndim else None for tensor in first.values()}
    if len(sizes) != 1 or None in sizes:
        return [first], dict.fromkeys(first, ())
    whole = first if sizes != {1} else _joined(first, first)
    single = {name: tensor[:1] for name, tensor in first.items()}
    return [whole, single, _joined(whole, single)], dict.fromkeys(first, (0,))


def _joined(one: Tensors, other: Tensors) -> Tensors:
    return {name: torch.cat([tensor, other[name]]) for name, tensor in one.items()}
