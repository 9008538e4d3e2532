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


# Each entry is noted as name:bytes in a set ordered by when it expires, and a number says how many bytes all are. Redis
# may forget entries, notes and number, each for itself: too much then counts until the note is dropped, or too little
# until the entry expires.
KEEP = Script("""
local notes, sum, prefix = KEYS[1], KEYS[2], ARGV[1]
local now, most = tonumber(ARGV[2]), tonumber(ARGV[3])
local used = redis.call('EXISTS', notes) == 1 and tonumber(redis.call('GET', sum) or '0') or 0
local function drop(found, least)
  for _, note in ipairs(found) do
    if used <= least then break end
    local name, size = string.match(note, '^(.+):(%d+)$')
    redis.call('UNLINK', prefix .. name)
    redis.call('ZREM', notes, note)
    used = used - tonumber(size)
  end
  return #found
end
drop(redis.call('ZRANGEBYSCORE', notes, '-inf', now, 'LIMIT', 0, 100), -1)
for i = 4, #ARGV, 4 do
  local name, size, ms = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  redis.call('SET', prefix .. name, ARGV[i + 3], 'PX', ms)
  if redis.call('ZADD', notes, now + ms, name .. ':' .. size) == 1 then used = used + tonumber(size) end
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


def keys_of(tenant_id: UUID) -> tuple[bytes, bytes]:
    prefix = entries_prefix(tenant_id)
    return prefix + b"notes", prefix + b"bytes"
