"""What Redis does with what a tenant has set aside for work under way, by its own clock: all of it or nothing.

A reservation has an id, an amount, and a moment at which it is over: whoever dies leaks it no longer. Sums of those
that stand are kept beside them (`held`), and of all that was ever charged (`gone`): for the tenant, and for each of
its keys.

What Postgres had is compared with what was seen to be gone before Postgres was asked. A charge that is in both is
counted twice, and none is missed: so long as any is on its way, "no" is said to be unsure.
"""

from collections.abc import Sequence
from hashlib import sha1
from typing import Final
from uuid import UUID

RESERVED_S = 120
"""For as long as a call may last, twice."""
SETTLED_S = 3600
"""Of what was used and waits to be charged; of a batch's line until its part of the batch has ended."""
HOLD_S = 30
"""Of a job's, until its hold is committed."""
CHARGING_S = 3
KEPT_S = 2 * 24 * 3600

RESERVE: Final = "reserve"
SETTLE: Final = "settle"
SEEN: Final = "seen"
CHARGING: Final = "charging"
CHARGED: Final = "charged"

Words = list[str | int]

TEXT = """
local sums, held, till, charging = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function add(name, currency, key, amount)
  if amount == 0 then return end
  local text = string.format('%%.0f', amount)
  redis.call('HINCRBY', sums, name .. ':' .. currency, text)
  if key ~= '' then redis.call('HINCRBY', sums, name .. ':' .. currency .. ':' .. key, text) end
end

local function sum(name, currency, key)
  local field = name .. ':' .. currency
  if key ~= '' then field = field .. ':' .. key end
  return tonumber(redis.call('HGET', sums, field) or '0')
end

local function found(id)
  local text = redis.call('HGET', held, id)
  if not text then return nil end
  local amount, currency, key = string.match(text, '^(%%d+) (%%S+) (%%x*)$')
  return {amount = tonumber(amount), currency = currency, key = key}
end

local function drop(id)
  local one = found(id)
  if not one then return end
  add('held', one.currency, one.key, -one.amount)
  redis.call('HDEL', held, id)
  redis.call('ZREM', till, id)
end

local function keep(id, currency, key, amount, seconds)
  redis.call('HSET', held, id, string.format('%%.0f %%s %%s', amount, currency, key))
  redis.call('ZADD', till, now + seconds * 1000, id)
end

local function is_charging()
  redis.call('ZREMRANGEBYSCORE', charging, '-inf', now)
  return redis.call('ZCARD', charging) > 0
end

local function mark(token)
  redis.call('ZADD', charging, now + %(charging)d * 1000, token)
  redis.call('EXPIRE', charging, %(charging)d)
end

local what = ARGV[1]

if what == 'reserve' then
  local id, currency, key, amount, seconds = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
  for _, over in ipairs(redis.call('ZRANGEBYSCORE', till, '-inf', now, 'LIMIT', 0, 100)) do drop(over) end
  drop(id)
  local least, sure = nil, true
  for i, name in ipairs({'', key}) do
    local room, seen = ARGV[5 + 2 * i], ARGV[6 + 2 * i]
    if room ~= '' then
      local gone = sum('gone', currency, name)
      -- Somebody has the row of the wallet locked: nothing is charged between the look and this.
      if seen == '' then seen = gone else seen = tonumber(seen) end
      if gone < seen then return {2, 0} end
      sure = sure and gone == seen
      local left = tonumber(room) - (gone - seen) - sum('held', currency, name)
      if not least or left < least then least = left end
    end
  end
  if least and least < amount then
    if is_charging() then sure = false end
    return {sure and 0 or 2, math.max(0, least)}
  end
  add('held', currency, key, amount)
  keep(id, currency, key, amount, seconds)
  if ARGV[11] ~= '' then mark(ARGV[11]) end
  for _, name in ipairs({sums, held, till}) do redis.call('EXPIRE', name, %(kept)d) end
  return {1, 0}
end

if what == 'settle' then
  local id, amount, seconds = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
  local one = found(id)
  if not one then return 0 end
  if amount == 0 then
    drop(id)
  else
    add('held', one.currency, one.key, amount - one.amount)
    keep(id, one.currency, one.key, amount, seconds)
  end
  return 1
end

if what == 'seen' then
  return {sum('gone', ARGV[2], ''), ARGV[3] == '' and 0 or sum('gone', ARGV[2], ARGV[3])}
end

if what == 'charging' then
  if redis.call('EXISTS', sums) == 0 then return 0 end
  mark(ARGV[2])
  return 1
end

if what == 'charged' then
  local token, count = ARGV[2], tonumber(ARGV[3])
  if redis.call('EXISTS', sums) == 1 then
    for i = 1, count do
      local at = 1 + 3 * i
      add('gone', ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]))
    end
    for i = 4 + 3 * count, #ARGV do drop(ARGV[i]) end
  end
  if token ~= '' then redis.call('ZREM', charging, token) end
  return 1
end
return redis.error_reply('no such deed: ' .. what)
""" % {"charging": CHARGING_S, "kept": KEPT_S}  # noqa: UP031  # braces are Lua's
SHA = sha1(TEXT.encode(), usedforsecurity=False).hexdigest()


def keys_of(tenant_id: UUID) -> list[str]:
    """In the order in which the script reads them."""
    return [f"maas:money:{tenant_id.hex}:{what}" for what in ("sums", "held", "until", "charging")]


def said(tenant_id: UUID, *words: str | int) -> Words:
    """What follows the script's name, or its text."""
    keys = keys_of(tenant_id)
    return [len(keys), *keys, *words]


def charged_words(token: str, charges: Sequence[tuple[str, str, int]], ids: Sequence[str]) -> Words:
    """`charges`: currency, key and amount."""
    words: Words = [CHARGED, token, len(charges)]
    for charge in charges:
        words += charge
    return [*words, *ids]
