"""The commands of `maas models` that import from MLflow, and export from other libraries, before they push."""

import argparse
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from maas_client.cli import values
from maas_client.cli.progress import say
from maas_client.cli.pushing import Found, add_about, push_version
from maas_client.client import Client
from maas_client.exports.extras import extra

if TYPE_CHECKING:
    from maas_client.exports.exported import Exported

Made = Callable[[argparse.Namespace, Path], "Exported"]


def add_to(acts: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    fetched = acts.add_parser("import-mlflow", help="push a model of MLflow: its ONNX flavor")
    fetched.add_argument(
        "source",
        metavar="SOURCE",
        help="models:/NAME@ALIAS or models:/NAME/3 of the registry that MLFLOW_TRACKING_URI names, or a folder with a "
        "file MLmodel",
    )
    add_about(fetched, stated=False)
    fetched.set_defaults(do=import_mlflow, parser=fetched)
    of_sklearn = _add(acts, "export-sklearn", "push an estimator of scikit-learn; loading it runs code of the file")
    of_sklearn.add_argument("source", metavar="FILE", type=values.file, help="file of joblib or pickle")
    of_sklearn.add_argument(
        "--inputs", metavar="FILE", type=values.file, help="rows to compare the answers on: .csv, or .npy"
    )
    of_sklearn.set_defaults(do=partial(export, _of_sklearn))
    of_torch = _add(acts, "export-torch", "push a module of torch; making it runs code of the source")
    of_torch.add_argument("source", metavar="SOURCE", help="module:factory, a .pt2 file, or a TorchScript file")
    of_torch.add_argument(
        "--input",
        metavar="NAME=TYPE[SIZES]",
        action="append",
        default=[],
        help="such as x=float32[batch,3,224,224], or ids=int64[batch,seq]:30000 for numbers below 30000; a word is an "
        "axis of any size; once for each input",
    )
    of_torch.add_argument("--inputs", metavar="FILE", type=values.file, help="inputs to compare the answers on: .npz")
    of_torch.set_defaults(do=partial(export, _of_torch))
    of_directory = _add(acts, "export-huggingface", "push an encoder or a classifier of Hugging Face transformers")
    of_directory.add_argument("source", metavar="FOLDER", type=Path, help="folder with config.json and the weights")
    of_directory.set_defaults(do=partial(export, _of_huggingface))


def _add(acts: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, help: str) -> argparse.ArgumentParser:
    parser = acts.add_parser(name, help=help)
    add_about(parser)
    parser.add_argument(
        "--tolerance",
        metavar="NUMBER",
        type=float,
        help="largest difference to the original's answers (default: 0.0001 for scikit-learn, otherwise 0.001)",
    )
    parser.add_argument("--output", "-o", metavar="FILE", dest="to", type=values.target, help="keep the ONNX file")
    parser.set_defaults(parser=parser)
    return parser


def export(made: Made, client: Client, given: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="maas-") as folder:
        path = given.to or Path(folder) / "model.onnx"
        exported = made(given, path)
        for remark in exported.remarks:
            say(f"maas: {given.source}: {remark}")
        say(f"{given.source}: {exported}")
        return push_version(client, given, exported.path, Found(labels=exported.labels, lineage=exported.lineage))


def import_mlflow(client: Client, given: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="maas-") as folder:
        to = Path(folder) / "model.onnx"
        with extra("mlflow"):
            if ":/" in given.source:
                from maas_client.exports import mlflow_registry  # noqa: PLC0415  # an extra that may be missing

                found = mlflow_registry.from_registry(given.source, to)
            else:
                from maas_client.exports import mlflow_models  # noqa: PLC0415  # an extra that may be missing

                found = mlflow_models.from_directory(Path(given.source), to)
        about = Found(found.name, found.license, found.description, found.labels, found.lineage)
        return push_version(client, given, found.path, about)


def _of_sklearn(given: argparse.Namespace, to: Path) -> "Exported":
    say(f"maas: {given.source}: a pickle runs the code in it when it is loaded; load only files that you trust")
    with extra("sklearn"):
        from maas_client.exports import given_inputs, sklearn_models  # noqa: PLC0415  # an extra that may be missing

        table = given_inputs.table(given.inputs) if given.inputs else None
        if table is not None:
            say(f"maas: {given.inputs}: {table.taken}")
        tolerance = sklearn_models.TOLERANCE if given.tolerance is None else given.tolerance
        return sklearn_models.export(given.source, to, table=table, tolerance=tolerance)


def _of_torch(given: argparse.Namespace, to: Path) -> "Exported":
    if given.input and given.inputs:
        given.parser.error("give --input or --inputs, and not both")
    with extra("torch"):
        from maas_client.exports import (  # noqa: PLC0415  # an extra that may be missing
            given_inputs,
            input_specs,
            torch_graphs,
            torch_models,
        )

        try:
            specs = [input_specs.InputSpec.parsed(text) for text in given.input]
        except ValueError as error:
            given.parser.error(f"argument --input: {error}")
        arrays = given_inputs.arrays(given.inputs) if given.inputs else None
        tolerance = torch_graphs.TOLERANCE if given.tolerance is None else given.tolerance
        return torch_graphs.export(torch_models.original(given.source, specs, arrays), to, tolerance=tolerance)


def _of_huggingface(given: argparse.Namespace, to: Path) -> "Exported":
    with extra("huggingface"):
        from maas_client.exports import huggingface_models, torch_graphs  # noqa: PLC0415  # may be missing

        tolerance = torch_graphs.TOLERANCE if given.tolerance is None else given.tolerance
        return torch_graphs.export(huggingface_models.original(given.source), to, tolerance=tolerance)
