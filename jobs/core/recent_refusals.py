"""Remembers in this process whose work was just refused for what waits already: what follows is the rest of a flood."""

import time
from uuid import UUID

REMEMBERED_S = 3.0
MAX_REMEMBERED = 10_000
_until_s: dict[UUID, float] = {}


def turned_away(tenant_id: UUID) -> None:
    now_s = time.monotonic()
    if len(_until_s) >= MAX_REMEMBERED:
        for other, until_s in list(_until_s.items()):
            if until_s <= now_s:
                _until_s.pop(other, None)
    if tenant_id in _until_s or len(_until_s) < MAX_REMEMBERED:
        _until_s[tenant_id] = now_s + REMEMBERED_S


def was_turned_away(tenant_id: UUID) -> bool:
    return time.monotonic() < _until_s.get(tenant_id, 0.0)
