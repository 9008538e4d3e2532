"""The export of torch modules: one graph, which gives the module's answers for several sizes of its inputs."""

import inspect
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from maas_client.exports.errors import CannotExport
from maas_client.exports.exported import Exported
from maas_client.exports.verification import Case, verified

TOLERANCE = 1e-3
Tensors = Mapping[str, torch.Tensor]
Axes = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class Original:
    """The module to export, and the inputs on which it is verified. The export itself uses the first of them."""

    module: Any
    cases: Sequence[Tensors]
    dynamic: Axes
    """The axes of each input that may have any size."""
    inputs: str
    """A description of the inputs for people."""
    labels: Mapping[str, str]


def export(original: Original, to: Path, *, tolerance: float = TOLERANCE) -> Exported:
    answers = [answered(original.module, case) for case in original.cases]
    _quiet()
    try:
        with redirect_stdout(sys.stderr), torch.no_grad():
            _written(original, list(answers[0]), to)
    except Exception as error:  # torch raises many kinds, some of them its own
        raise CannotExport(f"torch cannot export this module: {_reason(error)}") from error
    cases = [
        Case({name: tensor.numpy() for name, tensor in case.items()}, answer)
        for case, answer in zip(original.cases, answers, strict=True)
    ]
    labels = {"source": f"torch {torch.__version__}", **original.labels}
    return Exported(to, labels, verified(to, cases, tolerance), original.inputs)


def answered(module: Any, inputs: Tensors) -> dict[str, np.ndarray[Any, Any]]:
    """Return the module's answers by name: those of a dictionary, or `output`, `output_1` and so on."""
    try:
        with torch.no_grad():
            answer = module(*inputs.values())
    except Exception as error:  # the module is the caller's code
        shapes = ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in inputs.items())
        raise CannotExport(f"The module fails on the inputs {shapes}: {_reason(error)}") from error
    return {name: tensor.detach().cpu().numpy() for name, tensor in named(answer).items()}


def named(answer: Any) -> dict[str, torch.Tensor]:
    if isinstance(answer, torch.Tensor):
        return {"output": answer}
    if isinstance(answer, Mapping):
        found = {str(name): one for name, one in answer.items() if one is not None}
    elif isinstance(answer, tuple | list):
        found = {f"output_{number}" if number else "output": one for number, one in enumerate(answer)}
    else:
        raise CannotExport(f"The module returns a {type(answer).__name__}, and not tensors.")
    others = [name for name, one in found.items() if not isinstance(one, torch.Tensor)]
    if others:
        raise CannotExport(f"The module returns something in {', '.join(others)} that is no tensor.")
    return found


def parameters(module: Any) -> list[str]:
    """Return the names of the inputs."""
    if isinstance(module, torch.jit.ScriptModule):
        return [argument.name for argument in module.forward.schema.arguments[1:]]
    return list(inspect.signature(module.forward).parameters)


def _takes_any_number(module: Any) -> bool:
    kinds = [parameter.kind for parameter in inspect.signature(module.forward).parameters.values()]
    return kinds == [inspect.Parameter.VAR_POSITIONAL]


def _written(original: Original, outputs: list[str], to: Path) -> None:
    first = original.cases[0]
    names = list(first)
    if isinstance(original.module, torch.jit.ScriptModule):
        axes = {name: {axis: f"{name}_{axis}" for axis in original.dynamic[name]} for name in names}
        _export(original.module, first, to, dynamo=False, input_names=names, output_names=outputs, dynamic_axes=axes)
        return
    auto = torch.export.Dim.AUTO
    shapes: tuple[Any, ...] = tuple(dict.fromkeys(original.dynamic[name], auto) for name in names)
    _export(
        original.module,
        first,
        to,
        dynamo=True,
        external_data=False,
        verbose=False,
        input_names=names,
        output_names=outputs,
        dynamic_shapes=(shapes,) if _takes_any_number(original.module) else shapes,
    )


def _export(module: Any, inputs: Tensors, to: Path, **options: Any) -> None:
    write: Callable[..., Any] = torch.onnx.export
    write(module, tuple(inputs.values()), str(to), **options)


def _quiet() -> None:
    """Silence hints on packages that only operators need which the module does not use."""
    logging.getLogger("torch.onnx._internal.exporter._registration").setLevel(logging.ERROR)


def _reason(error: BaseException) -> str:
    """Return the first line of the error that started it. What torch raises at last says only that it failed."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
