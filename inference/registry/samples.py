"""Samples: the inputs on which an owner wants the variants of a model to be compared, instead of generated ones."""

import hashlib
import io
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np

from inference.core.contracts import TensorInput, WorkRefused
from inference.registry.errors import SamplesInvalid, SamplesNotFound, VersionNotReady
from inference.registry.models import ModelSamples, ModelVersion, ServedModel
from inference.registry.owners import owned_model, owner_work
from inference.runtime.tensor_requests import validate_input
from inference.runtime.tensors import Array
from tenants.audit.acting import acting
from tenants.audit.services import record
from tenants.core.db.unit_of_work import operator_work
from tenants.core.messages import names_in_words

MAX_SAMPLES = 10_000
MAX_BYTES = 8 * 2**20
Feeds = Mapping[str, Array]


def set_samples(*, owner: UUID | None, model: str, samples: Sequence[Feeds]) -> ModelSamples:
    """Keep these inputs as the samples of the owner's model, in place of those that it has."""
    if not 0 < len(samples) <= MAX_SAMPLES:
        raise SamplesInvalid(f"Send 1 to {MAX_SAMPLES:,} samples; there are {len(samples):,}.")
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        signature = _signature(served)
        for number, feeds in enumerate(samples, 1):
            _check(number, feeds, signature)
        content = _packed(samples)
        if len(content) > MAX_BYTES:
            raise SamplesInvalid(f"The samples take {len(content):,} bytes; {MAX_BYTES:,} are allowed.")
        rows = sum(_rows(feeds) for feeds in samples)
        fields = {
            "tenant_id": owner,
            "content": content,
            "samples": len(samples),
            "rows": rows,
            "sha256": hashlib.sha256(content).hexdigest(),
            "author": acting().name,
        }
        served_samples, _ = ModelSamples.objects.update_or_create(served_model=served, defaults=fields)
        _record(served, "model.samples_set", f"{len(samples)} samples, {rows} rows")
        served_samples.refresh_from_db()
    return served_samples


def delete_samples(*, owner: UUID | None, model: str) -> None:
    """Delete the samples of a model. Its variants are compared on generated inputs from now on."""
    with owner_work(owner):
        served = owned_model(owner, model, for_update=True)
        found_samples(served).delete()
        _record(served, "model.samples_deleted", "")


def found_samples(served: ServedModel) -> ModelSamples:
    found = ModelSamples.objects.filter(served_model=served).first()
    if found is None:
        raise SamplesNotFound(
            f"The model {served.name!r} has no samples. Its variants are compared on generated inputs."
        )
    return found


def feeds_of(served: ServedModel) -> list[Feeds]:
    """Return the samples of a model, which are none without a choice of its owner."""
    with operator_work():
        found = ModelSamples.objects.filter(served_model=served).first()
    return [] if found is None else _unpacked(bytes(found.content), found.samples)


def _signature(served: ServedModel) -> Mapping[str, Any]:
    """Return the inputs of the current version, or of the newest that is ready."""
    ready = served.versions.filter(state=ModelVersion.State.READY, deleted_at=None)
    version = ready.filter(pk=served.current_id or 0).first() or ready.order_by("-number").first()
    if version is None:
        raise VersionNotReady(
            f"The model {served.name!r} has no version that is ready. Samples are checked against it."
        )
    signature: Mapping[str, Any] = version.signature
    return signature


def _check(number: int, feeds: Feeds, signature: Mapping[str, Any]) -> None:
    wanted = sorted(tensor["name"] for tensor in signature["inputs"])
    if sorted(feeds) != wanted:
        raise SamplesInvalid(
            f"Sample {number} has the inputs {names_in_words(sorted(feeds))}; the model takes {names_in_words(wanted)}."
        )
    try:
        validate_input(signature, TensorInput(feeds))
    except WorkRefused as refused:
        raise SamplesInvalid(f"Sample {number}: {refused.detail}.") from refused
    _refuse_empty(number, feeds)


def _refuse_empty(number: int, feeds: Feeds) -> None:
    empty = [name for name, value in feeds.items() if not value.size]
    if empty:
        raise SamplesInvalid(f"Sample {number}: the input {empty[0]!r} has no values.")


def _rows(feeds: Feeds) -> int:
    first = next(iter(feeds.values()))
    return len(first) if first.ndim else 1


def _packed(samples: Sequence[Feeds]) -> bytes:
    """Return an npz file. Texts are kept as arrays of Unicode, since nothing of ours reads pickled objects."""
    file = io.BytesIO()
    arrays: dict[str, Any] = {
        f"{number}:{name}": value.astype(np.str_) if value.dtype == object else value
        for number, feeds in enumerate(samples)
        for name, value in feeds.items()
    }
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _unpacked(content: bytes, count: int) -> list[Feeds]:
    found: list[dict[str, Array]] = [{} for _ in range(count)]
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        for key in arrays.files:
            number, _, name = key.partition(":")
            value = arrays[key]
            found[int(number)][name] = value.astype(object) if value.dtype.kind == "U" else value
    return list(found)


def _record(served: ServedModel, action: str, note: str) -> None:
    if served.tenant_id is not None:
        record(tenant_id=served.tenant_id, action=action, subject_id=served.pk, subject=served.name, note=note)
