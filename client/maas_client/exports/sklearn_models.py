"""The export of scikit-learn estimators: a pickle becomes an ONNX file that gives the same answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import onnx
import skl2onnx
import sklearn
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.base import is_classifier, is_outlier_detector, is_regressor

from maas_client.exports.errors import CannotExport
from maas_client.exports.exported import Exported
from maas_client.exports.given_inputs import Table
from maas_client.exports.verification import Arrays, Case, verified

ROWS = 256
TOLERANCE = 1e-4
OPSETS = {"": 21, "ai.onnx.ml": 3}
"""The versions of the operator sets. Some converters refuse later ones of `ai.onnx.ml`."""
_OTHER_LIBRARY = (
    ". Convert estimators of other libraries with onnxmltools, such as convert_lightgbm(model, initial_types=…, "
    "zipmap=False), and send the file with maas models push."
)
Columns = Mapping[str, np.ndarray[Any, Any]]
"""The columns of a table by their names."""


@dataclass(frozen=True)
class Rows:
    """Rows for the estimator, and the same rows by the inputs of the graph."""

    original: Any
    inputs: Arrays


def export(source: Path, to: Path, *, table: Table | None, tolerance: float = TOLERANCE) -> Exported:
    """Load the pickle, which runs code that it contains, and write the ONNX file to `to`."""
    estimator = loaded(source)
    rows = rows_of(estimator, table)
    types = [(name, _type_of(array)) for name, array in rows.inputs.items()]
    graph = _converted(estimator, types)
    onnx.save(graph, to)
    case = Case(rows.inputs, answers(estimator, rows.original, [output.name for output in graph.graph.output]))
    count = len(next(iter(rows.inputs.values())))
    return Exported(
        to,
        {"source": f"scikit-learn {sklearn.__version__}", "estimator": type(estimator).__name__},
        verified(to, [case], tolerance),
        f"{count} {'given' if table else 'generated'} rows",
        _remarks(case, given=table is not None),
    )


def _converted(estimator: Any, types: Sequence[tuple[str, Any]]) -> onnx.ModelProto:
    """Convert the estimator. Answers as lists of dictionaries become tensors, which are what the service returns."""
    graph = _converted_with(estimator, types, None)
    if any(output.type.HasField("sequence_type") for output in graph.graph.output):
        return _converted_with(estimator, types, {"zipmap": False})
    return graph


def _converted_with(
    estimator: Any, types: Sequence[tuple[str, Any]], options: Mapping[str, bool] | None
) -> onnx.ModelProto:
    try:
        graph: onnx.ModelProto = skl2onnx.to_onnx(
            estimator, initial_types=[*types], options=options, target_opset=OPSETS
        )
    except Exception as error:  # skl2onnx has no class of error of its own
        message = f"skl2onnx cannot convert {type(estimator).__name__}: {_first_line(error).rstrip('.')}"
        raise CannotExport(f"{message}{_OTHER_LIBRARY}" if _is_of_another_library(estimator) else message) from error
    return graph


def _is_of_another_library(estimator: Any) -> bool:
    """Tell whether an estimator, or a step of a pipeline, is made by a library such as LightGBM or XGBoost."""
    steps = [step for _, step in getattr(estimator, "steps", ())] or [estimator]
    return any(type(step).__module__.partition(".")[0] != "sklearn" for step in steps)


def loaded(source: Path) -> Any:
    try:
        estimator = joblib.load(source)
    except Exception as error:  # a pickle raises whatever it likes
        raise CannotExport(f"{source.name} cannot be loaded: {_first_line(error)}") from error
    if not hasattr(estimator, "predict") and not hasattr(estimator, "transform"):
        raise CannotExport(f"{source.name} holds a {type(estimator).__name__}, which is no estimator of scikit-learn.")
    if not hasattr(estimator, "n_features_in_"):
        raise CannotExport(
            f"The {type(estimator).__name__} in {source.name} takes no table with a known number of columns. "
            "Estimators of texts cannot be exported: export the part after the vectorizer."
        )
    return estimator


def rows_of(estimator: Any, table: Table | None) -> Rows:
    """Return the rows of the table, or generated ones. An estimator of named columns gets an input for each."""
    if _takes_columns(estimator):
        if table is None:
            raise CannotExport("The estimator takes columns by name. Give some rows: --inputs table.csv")
        names = list(estimator.feature_names_in_)
        return _columns(table.named(names).columns, names)
    count = int(estimator.n_features_in_)
    matrix = generated(ROWS, estimator) if table is None else _matrix(table, estimator, count)
    return Rows(matrix.astype(np.float64), {"X": matrix})


def generated(rows: int, estimator: Any) -> np.ndarray[Any, Any]:
    """Return rows around what a scaler of the estimator has seen, or else of many magnitudes."""
    draw = np.random.default_rng(0)
    shape = (rows, int(estimator.n_features_in_))
    scaler = _scaler(estimator)
    if scaler is not None:
        spread = draw.normal(size=shape) * np.where(np.arange(rows) % 2, 1.0, 3.0)[:, None]
        return np.asarray(scaler.mean_ + spread * scaler.scale_, np.float32)
    magnitudes = 10.0 ** draw.uniform(-2, 3, shape)
    magnitudes[: rows // 2] = 10.0 ** draw.uniform(-1, 1, (rows // 2, 1))
    signs = np.where(draw.random(shape) < 0.25, -1.0, 1.0)
    return np.asarray(signs * magnitudes * draw.random(shape), np.float32)


def _scaler(estimator: Any) -> Any:
    first = estimator.steps[0][1] if getattr(estimator, "steps", ()) else estimator
    parts = [getattr(first, name, None) for name in ("mean_", "scale_")]
    return None if any(part is None for part in parts) else first


def _matrix(given: Table, estimator: Any, count: int) -> np.ndarray[Any, Any]:
    fitted = list(getattr(estimator, "feature_names_in_", ()))
    table = given.named(fitted).columns
    names = fitted or list(table)
    missing = [name for name in names if name not in table]
    if missing or len(names) != count:
        lacking = f"lack the columns {', '.join(missing[:5])}" if missing else f"have {len(names)} columns"
        raise CannotExport(f"The inputs {lacking}; the estimator takes {count} features.")
    try:
        return np.column_stack([np.asarray(table[name], np.float32) for name in names])
    except ValueError as error:
        raise CannotExport(f"The estimator takes numbers, and the inputs have other values: {error}") from error


def _columns(table: Columns, names: Sequence[str]) -> Rows:
    import pandas  # noqa: PLC0415  # only estimators that were fitted on a data frame need it

    missing = [name for name in names if name not in table]
    if missing:
        raise CannotExport(f"The inputs lack the columns {', '.join(missing[:5])}.")
    inputs = {name: _column(table[name]) for name in names}
    return Rows(pandas.DataFrame({name: array[:, 0] for name, array in inputs.items()}), inputs)


def _column(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    typed = values.astype(np.float32) if values.dtype.kind in "fiub" else values.astype(object)
    return typed.reshape(-1, 1)


def _takes_columns(estimator: Any) -> bool:
    """Return whether a part of the estimator selects columns by their names."""
    if not hasattr(estimator, "feature_names_in_"):
        return False
    parts = [estimator, *(part for _, part in getattr(estimator, "steps", ()))]
    return any(
        isinstance(name, str)
        for part in parts
        for _, _, columns in getattr(part, "transformers_", ())
        for name in ([columns] if isinstance(columns, str) else columns)
    )


def _type_of(array: np.ndarray[Any, Any]) -> Any:
    kind = StringTensorType if array.dtype == object else FloatTensorType
    return kind([None, array.shape[1]])


def answers(estimator: Any, rows: Any, outputs: Sequence[str]) -> Arrays:
    """Return the original's answers in the order of the outputs that skl2onnx gives."""
    methods = _methods(estimator)
    if len(methods) < len(outputs):
        raise CannotExport(f"{type(estimator).__name__} has outputs that cannot be compared with the original's.")
    return {name: _array(estimator, method(rows)) for name, method in zip(outputs, methods, strict=False)}


def _methods(estimator: Any) -> list[Callable[[Any], Any]]:
    if is_classifier(estimator):
        names = ["predict", "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"]
    elif is_outlier_detector(estimator):
        names = ["predict", "decision_function"]
    elif is_regressor(estimator) or not hasattr(estimator, "transform"):
        names = ["predict"]
    else:
        names = ["predict", "transform"] if hasattr(estimator, "predict") else ["transform"]
    return [getattr(estimator, name) for name in names]


def _array(estimator: Any, answer: Any) -> np.ndarray[Any, Any]:
    if isinstance(answer, list):
        raise CannotExport(f"{type(estimator).__name__} has several targets, which cannot be compared.")
    return np.asarray(answer.toarray() if hasattr(answer, "toarray") else answer)


def _remarks(case: Case, *, given: bool) -> list[str]:
    """Say that the comparison shows little if generated rows do not reach what the estimator tells apart."""
    first = next(iter(case.answers.values()))
    if given or first.dtype.kind == "f" or len(np.unique(first)) > 1:
        return []
    return [f"all generated rows get the same answer, {first.flat[0]}: give rows of your own with --inputs"]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
