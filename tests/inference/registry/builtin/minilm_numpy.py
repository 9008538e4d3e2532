"""Compute the forward pass of all-MiniLM-L6-v2 in NumPy, independently of the export that is compared with it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def embed(tensors: Mapping[str, npt.NDArray[Any]], ids: Sequence[int]) -> Floats:
    """Return the embedding of one sentence without padding, in double precision."""
    weights = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    state = (
        weights["embeddings.word_embeddings.weight"][list(ids)]
        + weights["embeddings.position_embeddings.weight"][: len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    state = _layer_norm(weights, "embeddings.LayerNorm", state)
    for layer in range(6):
        state = _encoder_layer(weights, f"encoder.layer.{layer}.", state)
    mean: Floats = state.mean(axis=0)
    return mean / np.linalg.norm(mean)


def _encoder_layer(weights: Mapping[str, Floats], prefix: str, state: Floats) -> Floats:
    query, key, value = (
        _heads(_linear(weights, f"{prefix}attention.self.{name}", state)) for name in ("query", "key", "value")
    )
    scores = np.einsum("hqd,hkd->hqk", query, key) / math.sqrt(query.shape[-1])
    chances = np.exp(scores - scores.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    context = np.einsum("hqk,hkd->qhd", chances, value).reshape(state.shape)
    attention = _linear(weights, f"{prefix}attention.output.dense", context)
    state = _layer_norm(weights, f"{prefix}attention.output.LayerNorm", attention + state)
    wide = _linear(weights, f"{prefix}intermediate.dense", state)
    wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
    return _layer_norm(weights, f"{prefix}output.LayerNorm", _linear(weights, f"{prefix}output.dense", wide) + state)


def _heads(state: Floats) -> Floats:
    return state.reshape(len(state), 12, -1).transpose(1, 0, 2)


def _linear(weights: Mapping[str, Floats], name: str, state: Floats) -> Floats:
    product: Floats = state @ weights[f"{name}.weight"].T
    return product + weights[f"{name}.bias"]


def _layer_norm(weights: Mapping[str, Floats], name: str, state: Floats) -> Floats:
    centered = state - state.mean(axis=-1, keepdims=True)
    scaled: Floats = centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-12)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
