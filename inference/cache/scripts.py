"""What Redis does for the cache in one go: keep entries within a tenant's share, and erase a tenant's."""

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
    """In braces what decides where a cluster puts it: all of a tenant's together."""
    return b"%b{%b}:" % (PREFIX.encode(), tenant_id.hex.encode())


def entry_key(tenant_id: UUID, key: bytes) -> bytes:
    return entries_prefix(tenant_id) + key.hex().encode()


NOTE_BYTES = 250
"""What Redis takes for an entry beside its content: key, note and expiry, about."""
ERASED_KEPT_S = 24 * 3600
"""How long a word of an erasure lies there: far longer than any run that it meets under way."""

# Each entry is noted as name:bytes in a set ordered by when it expires, and a number says how many bytes all are. Redis
# may forget entries, notes and number, each for itself: too much then counts until the note is dropped, or too little
# until the entry expires. A note that is dropped takes its entry along only where it is of that size: another has been
# written since, which has a note of its own. SET comes before ZREM, as Redis refuses only what writes first for want of
# memory.
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
"""So many at a time, as Redis serves nobody else meanwhile."""

NOTE_ERASURE = Script("""
if tonumber(redis.call('GET', KEYS[1]) or '0') < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
end
""")
"""Two erasures may come here in the other order."""


def keys_of(tenant_id: UUID) -> tuple[bytes, bytes, bytes]:
    """Its notes, how many bytes they make, and from which generation on anything is kept."""
    prefix = entries_prefix(tenant_id)
    return prefix + b"notes", prefix + b"bytes", prefix + b"erased"
