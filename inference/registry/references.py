"""The names of a version for callers (`name`, `name@3`, `name@alias`) and for workers. Pure."""

import re
from dataclasses import dataclass
from uuid import UUID

CURRENT = "current"
"""The alias that a model's name alone stands for."""
LONGEST_ALIAS = 50
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_NUMBER = re.compile(r"[0-9]{1,9}")
_ALIAS = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{0,{LONGEST_ALIAS - 1}}}")
_ENGINE_KEY = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]{0,99})(?:\.([0-9a-f]{32}))?@([0-9]{1,9})(?:~[A-Za-z0-9_-]{1,50})?")


@dataclass(frozen=True, slots=True)
class Reference:
    """A version of a model by its number, or by an alias if `number` is None."""

    name: str
    number: int | None = None
    alias: str = CURRENT


@dataclass(frozen=True, slots=True)
class EngineKey:
    name: str
    tenant_id: UUID | None
    number: int


def read_reference(text: str) -> Reference | None:
    """Return what the text refers to, or None if no version can have this name."""
    name, at, which = text.partition("@")
    if not NAME.fullmatch(name):
        return None
    if not at:
        return Reference(name)
    if _NUMBER.fullmatch(which):
        return Reference(name, int(which))
    return Reference(name, None, which) if is_alias(which) else None


def is_alias(text: str) -> bool:
    """Return whether an alias may have this name. It begins with a letter, so it is never taken for a number."""
    return _ALIAS.fullmatch(text) is not None


def read_engine_key(text: str) -> EngineKey | None:
    """Return the version that has this key in queues, workers and metrics, or None if it is no such key.

    The key of a queue outside of the model's own pool also names the pool, as in `ocr@3~gold`.
    """
    found = _ENGINE_KEY.fullmatch(text)
    if found is None:
        return None
    name, tenant, number = found.groups()
    return EngineKey(name, UUID(tenant) if tenant else None, int(number))


def public_key(engine_key: str) -> str:
    """Return the key as its callers know it: `name@3`, also for a tenant's model."""
    key = read_engine_key(engine_key)
    return engine_key if key is None else f"{key.name}@{key.number}"
