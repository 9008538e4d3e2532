"""Finds out the kind of a model by its answers."""

from collections.abc import Sequence

import numpy as np

from inference.factory.measures.classifier import class_outputs, label_follows_scores
from inference.factory.measures.embedding import vector_outputs
from inference.factory.measures.pairs import Kind, Pair
from inference.runtime.tensors import Array

WIDE = 64
"""The width from which rows of numbers are taken for vectors that stand for a meaning."""
MIN_UNIT_WIDTH = 8
UNIT_TOLERANCE = 1e-2


def detect_kind(pairs: Sequence[Pair]) -> Kind:
    if all(value.dtype.kind in "OUS" for value in pairs[0].reference.values()):
        return Kind.TEXT
    classes = class_outputs(pairs)
    if classes.probabilities or label_follows_scores(pairs, classes):
        return Kind.CLASSIFIER
    if any(all(_are_vectors(pair.reference[name]) for pair in pairs) for name in vector_outputs(pairs)):
        return Kind.EMBEDDING
    return Kind.TENSOR


def _are_vectors(value: Array) -> bool:
    width = value.shape[-1]
    if value.ndim > 3 or width < MIN_UNIT_WIDTH:
        return False
    lengths = np.linalg.norm(value.astype(np.float64), axis=-1)
    return width >= WIDE or bool((np.abs(lengths - 1) <= UNIT_TOLERANCE).all())
