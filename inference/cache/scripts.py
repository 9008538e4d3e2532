"""Define the steps of the cache that Redis carries out atomically: store entries within a tenant's share, and erase a
tenant's entries.
"""

import hashlib
from dataclasses import dataclass
from uuid import UUID

PREFIX = "maas:results:"


@dataclass(frozen=True, slots=True)
class Script:
    text: str

    @property
    def sha(self) -> str:
        return hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()


def entries_prefix(tenant_id: UUID) -> bytes:
    """Return the prefix of a tenant's keys. The part in braces decides where a cluster stores them, so that all keys of
    a tenant are together.
    """
    return b"%b{%b}:" % (PREFIX.encode(), tenant_id.hex.encode())


def entry_key(tenant_id: UUID, key: bytes) -> bytes:
    return entries_prefix(tenant_id) + key.hex().encode()


NOTE_BYTES = 250
"""The approximate memory that Redis uses for an entry besides its content: the key, the note and the expiry."""
ERASED_KEPT_S = 24 * 3600
"""The retention of the note about an erasure. It is far longer than any run that is in progress during the erasure."""

# Each entry has a note `name:bytes` in a set that is ordered by expiry, and a number holds the bytes of all entries
# together. Redis may evict entries, notes and the number separately. Then too much is counted until the note is
# dropped, or too little until the entry expires. When a note is dropped, its entry is deleted only if it has the size
# in the note: otherwise it has been written again since and has another note. SET comes before ZREM, because Redis
# refuses only the first write for lack of memory.
KEEP = Script("""
local notes, sum, prefix = KEYS[1], KEYS[2], ARGV[1]
local now, most, beside = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local erased = tonumber(redis.call('GET', KEYS[3]) or '0')
local used = redis.call('EXISTS', notes) == 1 and tonumber(redis.call('GET', sum) or '0') or 0
local function drop(found, least)
  for _, note in ipairs(found) do
    if used <= least then break end
    local name, size = string.match(note, '^(.+):(%d+)$')
    if redis.call('STRLEN', prefix .. name) + beside == tonumber(size) then redis.call('UNLINK', prefix .. name) end
    redis.call('ZREM', notes, note)
    used = used - tonumber(size)
  end
  return #found
end
drop(redis.call('ZRANGEBYSCORE', notes, '-inf', now, 'LIMIT', 0, 100), -1)
for i = 5, #ARGV, 4 do
  local name, ms, written = ARGV[i], ARGV[i + 1], ARGV[i + 3]
  if tonumber(ARGV[i + 2]) >= erased then
    local before, size = redis.call('STRLEN', prefix .. name) + beside, #written + beside
    redis.call('SET', prefix .. name, written, 'PX', ms)
    if before ~= size and redis.call('ZREM', notes, name .. ':' .. before) == 1 then used = used - before end
    if redis.call('ZADD', notes, now + ms, name .. ':' .. size) == 1 then used = used + size end
  end
end
while used > most and drop(redis.call('ZRANGE', notes, 0, 15), most) > 0 do end
local last = redis.call('ZRANGE', notes, -1, -1, 'WITHSCORES')[2]
if last then
  redis.call('SET', sum, string.format('%.0f', math.max(0, used)))
  redis.call('PEXPIREAT', notes, last)
  redis.call('PEXPIREAT', sum, last)
else
  redis.call('UNLINK', sum)
end
return used
""")

ERASE = Script("""
local found = redis.call('ZRANGE', KEYS[1], 0, 499)
for _, note in ipairs(found) do redis.call('UNLINK', ARGV[1] .. string.match(note, '^(.+):%d+$')) end
if #found > 0 then redis.call('ZREM', KEYS[1], unpack(found)) end
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('UNLINK', KEYS[2]) end
return #found
""")
"""Erases a limited number of entries at a time, because Redis serves no other client meanwhile."""

NOTE_ERASURE = Script("""
if tonumber(redis.call('GET', KEYS[1]) or '0') < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
end
""")
"""Notes an erasure. The higher generation wins, because two erasures may arrive here in reverse order."""


def keys_of(tenant_id: UUID) -> tuple[bytes, bytes, bytes]:
    """Return the keys of a tenant's notes, of the bytes that its entries take, and of the first generation that is
    still stored.
    """
    prefix = entries_prefix(tenant_id)
    return prefix + b"notes", prefix + b"bytes", prefix + b"erased"
