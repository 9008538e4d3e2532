"""Test that keys are equal for the same call of the same tenant, and different for everything else."""

from dataclasses import replace
from uuid import UUID

import pytest

from inference.cache.keys import EntryKeys, Holder
from inference.core.contracts import Json

ONE = Holder(UUID(int=1), 0, livemode=True)
KEYS = EntryKeys("secret")


def key(
    *,
    holder: Holder = ONE,
    digest: str = "d",
    parameters: Json = None,
    kind: str = "text",
    content: bytes = b"x",
    keys: EntryKeys = KEYS,
) -> bytes:
    return keys.family(holder, digest, parameters or {"a": 1, "b": True}, kind).key(content)


def test_the_order_of_parameters_makes_no_difference() -> None:
    assert key() == key(parameters={"b": True, "a": 1})


@pytest.mark.parametrize(
    "other",
    [
        key(holder=replace(ONE, tenant_id=UUID(int=2))),
        key(holder=replace(ONE, generation=1)),
        key(holder=replace(ONE, livemode=False)),
        key(digest="e"),
        key(parameters={"a": 2, "b": True}),
        key(parameters={"a": True, "b": 1}),
        key(kind="tokens"),
        key(content=b"y"),
        key(keys=EntryKeys("another")),
    ],
    ids=[
        "tenant",
        "erased",
        "test key",
        "version",
        "parameters",
        "what Python takes for equal",
        "kind",
        "input",
        "installation",
    ],
)
def test_each_difference_makes_another_key(other: bytes) -> None:
    assert other != key()


def test_what_entries_are_sealed_with_is_no_key_and_is_each_installations_own() -> None:
    assert KEYS.seal == EntryKeys("secret").seal
    assert KEYS.seal not in (EntryKeys("another").seal, b"secret")
