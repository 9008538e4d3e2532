"""Calibration samples on their way into the sandbox: an npz file in memory."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

Feeds = Mapping[str, npt.NDArray[Any]]
"""The inputs of one run by name."""


def digest_of(samples: Sequence[Feeds]) -> str:
    """Return the SHA-256 of the names, types, shapes and values of all samples in their order."""
    digest = hashlib.sha256()
    for sample in samples:
        for name in sorted(sample):
            value = np.ascontiguousarray(_plain(sample[name]))
            digest.update(f"{name}\0{value.dtype.str}\0{value.shape}\0".encode())
            digest.update(value.data)
        digest.update(b"\0end")
    return digest.hexdigest()


@contextmanager
def in_memory(samples: Sequence[Feeds]) -> Iterator[int]:
    """Yield the descriptor of an unnamed file with the samples. Names of arrays are `<number>:<input>`."""
    descriptor = os.memfd_create("calibration", os.MFD_CLOEXEC)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            np.savez(file, **_by_number(samples))
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _plain(value: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return texts as an array of characters: objects would need pickle, which the sandbox must not read."""
    if value.dtype != object:
        return value
    texts = [text.decode(errors="replace") if isinstance(text, bytes) else str(text) for text in value.flat]
    return np.array(texts, np.str_).reshape(value.shape)


def _by_number(samples: Sequence[Feeds]) -> dict[str, Any]:
    return {f"{number}:{name}": _plain(value) for number, one in enumerate(samples) for name, value in one.items()}
