"""The script by which Redis keeps a tenant's reservations for work in progress, by its own clock. An action is done
completely or not at all.

A reservation has an id, an amount and an expiry time, so the reservation of a process that dies does not leak. The
script also keeps the sum of the current reservations (`held`) and the sum of all charges ever made (`gone`), for the
tenant and for each of its keys. It keeps the same for included units, with each pool as if it were a currency. A
reservation takes included units before money. Its units are stored beside it, under its id and the position of the
pool.

The amount read from Postgres is compared with the value of `gone` from before Postgres was read. A charge that is in
both is counted twice, and none is missed. While any charge is on its way, a refusal is therefore reported as unsure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from typing import Final
from uuid import UUID

RESERVED_S = 120
"""Seconds until a call's reservation expires: twice the longest duration of a call."""
SETTLED_S = 3600
"""Seconds until the reservation of finished work expires. A batch line waits for its part of the batch."""
HOLD_S = 30
"""Seconds until a job's reservation expires. It is kept until the job's hold is committed."""
CHARGING_S = 3
KEPT_S = 2 * 24 * 3600

RESERVE: Final = "reserve"
SETTLE: Final = "settle"
SEEN: Final = "seen"
TAKE: Final = "take"
CHARGING: Final = "charging"
CHARGED: Final = "charged"

Words = list[str | int]
_EMPTY = "-"

TEXT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local sums, held, till, charging

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

local function drop_all(id)
  for _, part in ipairs({'', '.1', '.2'}) do drop(id .. part) end
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

-- What is left of what a look found, and whether nothing was charged since. Nothing where the look is of before Redis
-- began anew.
local function left_of(currency, key, there, before)
  local gone = sum('gone', currency, key)
  -- Somebody has the row of the wallet locked: nothing is charged between the look and this.
  if before == '' then before = gone else before = tonumber(before) end
  if gone < before then return nil, false end
  return tonumber(there) - (gone - before) - sum('held', currency, key), gone == before
end

local function drop_what_is_over()
  for _, over in ipairs(redis.call('ZRANGEBYSCORE', till, '-inf', now, 'LIMIT', 0, 100)) do drop(over) end
end

local function hold(id, currency, key, amount, seconds)
  if amount == 0 then return end
  add('held', currency, key, amount)
  keep(id, currency, key, amount, tonumber(seconds))
end

local function expire_all()
  for _, name in ipairs({sums, held, till}) do redis.call('EXPIRE', name, %(kept)d) end
end

local function resize(id, amount, seconds)
  local one = found(id)
  if not one then return 0 end
  if amount == 0 then
    drop(id)
  else
    add('held', one.currency, one.key, amount - one.amount)
    keep(id, one.currency, one.key, amount, tonumber(seconds))
  end
  return 1
end

local actions = {}

-- Behind `most`, how many units it may use: pools of them, each with what is left of it, and what was gone then.
function actions.reserve(id, currency, key, amount, seconds, room, seen, key_room, key_seen, token, most, ...)
  amount, most = tonumber(amount), tonumber(most or '0')
  drop_what_is_over()
  drop_all(id)
  local pools, parts, units, least, sure = {...}, {}, 0, nil, true
  for at = 1, #pools, 3 do
    local left, same = left_of(pools[at], '', pools[at + 1], pools[at + 2])
    if not left then return {2, 0, 0} end
    sure = sure and same
    parts[#parts + 1] = math.max(0, math.min(left, most - units))
    units = units + parts[#parts]
  end
  if units > 0 then
    amount = units == most and 0 or math.min(amount, amount - math.floor(amount * (units / most)) + 1)
  end
  for _, one in ipairs({{'', room, seen}, {key, key_room, key_seen}}) do
    if one[2] ~= '' and amount > 0 then
      local left, same = left_of(currency, one[1], one[2], one[3])
      if not left then return {2, 0, 0} end
      sure = sure and same
      if not least or left < least then least = left end
    end
  end
  if least and least < amount then
    if is_charging() then sure = false end
    return {sure and 0 or 2, math.max(0, least), amount}
  end
  if #pools == 0 or amount > 0 then
    add('held', currency, key, amount)
    keep(id, currency, key, amount, tonumber(seconds))
  end
  for place, part in ipairs(parts) do hold(id .. '.' .. place, pools[3 * place - 2], '', part, seconds) end
  if token ~= '' then mark(token) end
  expire_all()
  return {1, 0, amount, unpack(parts)}
end

-- Units for somebody who has the row of the wallet locked: of each pool as many as are wanted and set aside for nobody.
-- Those that were charged a moment ago may be counted as set aside still: then nothing is taken, unless `anyhow`.
function actions.take(seconds, token, anyhow, ...)
  drop_what_is_over()
  local pools, answer = {...}, {1}
  for at = 1, #pools, 4 do
    local wanted = tonumber(pools[at + 3])
    local part = math.max(0, math.min(wanted, (left_of(pools[at + 1], '', pools[at + 2], ''))))
    if part < wanted and anyhow == '' and is_charging() then return {2} end
    answer[#answer + 1] = part
  end
  for place = 1, #answer - 1 do hold(pools[4 * place - 3], pools[4 * place - 2], '', answer[place + 1], seconds) end
  mark(token)
  expire_all()
  return answer
end

-- `...`: how many units of each pool.
function actions.settle(id, amount, seconds, ...)
  local parts = {...}
  for place = 1, 2 do resize(id .. '.' .. place, tonumber(parts[place] or '0'), seconds) end
  return resize(id, tonumber(amount), seconds)
end

function actions.seen(currency, key, ...)
  local answer = {sum('gone', currency, ''), key == '' and 0 or sum('gone', currency, key)}
  for _, pool in ipairs({...}) do answer[#answer + 1] = sum('gone', pool, '') end
  return answer
end

function actions.charging(token)
  if redis.call('EXISTS', sums) == 0 then return 0 end
  mark(token)
  return 1
end

function actions.charged(token, count, ...)
  local rest = {...}
  if redis.call('EXISTS', sums) == 1 then
    local ids = 3 * tonumber(count) + 1
    for at = 1, ids - 1, 3 do add('gone', rest[at], rest[at + 1], tonumber(rest[at + 2])) end
    for at = ids, #rest do drop_all(rest[at]) end
  end
  if token ~= '' then redis.call('ZREM', charging, token) end
  return 1
end

local answers = {}
for i, tenant in ipairs(KEYS) do
  sums, held, till, charging = tenant .. ':sums', tenant .. ':held', tenant .. ':until', tenant .. ':charging'
  local words = {}
  for word in string.gmatch(ARGV[i], '%%S+') do words[#words + 1] = word == '-' and '' or word end
  answers[i] = actions[words[1]](unpack(words, 2))
end
return answers
""" % {"charging": CHARGING_S, "kept": KEPT_S}  # noqa: UP031  # braces are Lua's
SHA = sha1(TEXT.encode(), usedforsecurity=False).hexdigest()


def pool_name(model: str, meter: str) -> str:
    """Return a name without spaces that is no currency. It needs no month, because only changes of `gone` count."""
    return "u" + sha1(f"{meter} {model}".encode(), usedforsecurity=False).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Reply:
    """A request to the script about one tenant. Many requests go in one round trip."""

    key: str
    """The prefix of all Redis keys of the tenant."""
    text: str


def script_command(tenant_id: UUID, *arguments: str | int) -> Reply:
    return Reply(f"maas:money:{tenant_id.hex}", " ".join(str(word) or _EMPTY for word in arguments))


def spoken(together: Sequence[Reply]) -> list[str | int]:
    """Return the arguments that follow the script's hash or text. The responses come in the same order."""
    return [len(together), *(command.key for command in together), *(command.text for command in together)]


def charged_words(token: str, charges: Sequence[tuple[str, str, int]], ids: Sequence[str]) -> Words:
    """Return the arguments for charges of (currency, key, amount). Units have (pool name, no key, quantity)."""
    arguments: Words = [CHARGED, token, len(charges)]
    for charge in charges:
        arguments += charge
    return [*arguments, *ids]
