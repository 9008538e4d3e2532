"""Provide pipelines as operators would declare them, and the ONNX files that they consist of."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from onnx import helper

from inference.core.contracts import Json, VersionSpec
from inference.pipelines.members import Member
from tests.inference.runtime.graphs import save_nodes

SIDE = 8
COLORS = ("red", "green", "blue")

CLASSIFIER: Json = {
    "accepts": ["document"],
    "steps": [
        {
            "name": "picture",
            "kind": "preprocess",
            "operation": "picture_tensor",
            "inputs": {"page": "input"},
            "parameters": {"width": SIDE, "height": SIDE},
        },
        {"name": "scores", "kind": "model", "role": "colors", "inputs": {"pixels": "picture"}},
        {
            "name": "chances",
            "kind": "postprocess",
            "operation": "softmax",
            "inputs": {"tensor": "scores.logits"},
        },
        {
            "name": "best",
            "kind": "postprocess",
            "operation": "top_labels",
            "inputs": {"scores": "chances"},
            "parameters": {"labels": list(COLORS), "most": 2},
        },
    ],
    "output": {"label": "best.label", "score": "best.score", "top": "best.top"},
}

READER: Json = {
    "accepts": ["document"],
    "steps": [
        {
            "name": "text",
            "kind": "branch",
            "if": {"value": "input.has_text", "is": True},
            "then": {"output": "input.text"},
            "else": {
                "steps": [{"name": "ocr", "kind": "model", "role": "reader", "inputs": {"page": "input"}}],
                "output": "ocr.text",
            },
        }
    ],
    "output": {"text": "text"},
}
"""A pipeline that takes the text layer if there is one, and recognizes text only if there is none."""

COLORS_SIGNATURE = {
    "inputs": [{"name": "pixels", "datatype": "FP32", "shape": [-1, 3, SIDE, SIDE]}],
    "outputs": [{"name": "logits", "datatype": "FP32", "shape": [-1, 3]}],
}
MEMBERS = {
    "colors": Member("colors@1", "onnx", COLORS_SIGNATURE),
    "reader": Member("read@1", "ocr"),
    "orient": Member("orient@1", "orient"),
    "embed": Member("embed@1", "embed"),
}


def changed(declared: Json, change: Callable[[Any], object]) -> Json:
    """Return a copy of the declaration with a mistake in it."""
    copied = copy.deepcopy(declared)
    change(copied)
    return copied


def save_colors(path: Path, *, ballast_bytes: int = 0) -> Path:
    """Save a model that returns the mean of each color channel, the simplest classifier of any size."""
    values = 3 * SIDE * SIDE
    width = max(1, ballast_bytes // (4 * values))
    weights: dict[str, Any] = {
        "axes": np.array([2, 3], np.int64),
        "sharpness": np.array(4.0, np.float32),
        "heavy": np.ones((values, width), np.float32),
        "nothing": np.zeros((width, 3), np.float32),
    }
    nodes = [
        helper.make_node("ReduceMean", ["pixels", "axes"], ["means"], keepdims=0),
        helper.make_node("Mul", ["means", "sharpness"], ["sharp"]),
        helper.make_node("Flatten", ["pixels"], ["flat"]),
        helper.make_node("MatMul", ["flat", "heavy"], ["wide"]),
        helper.make_node("MatMul", ["wide", "nothing"], ["zeros"]),
        helper.make_node("Add", ["sharp", "zeros"], ["logits"]),
    ]
    return save_nodes(path, nodes, {"pixels": ["rows", 3, SIDE, SIDE]}, {"logits": ["rows", 3]}, **weights)


def onnx_spec(path: Path, name: str = "colors") -> VersionSpec:
    return VersionSpec(name, 1, f"digest of {path}", "onnx", {"weights": str(path)})


def pipeline_spec(declared: Json, name: str = "pipeline", **members: VersionSpec) -> VersionSpec:
    return VersionSpec(name, 1, f"digest of {declared} {name}", "graph", {}, config={"graph": declared}, steps=members)
