"""Define what Redis does for many limits in one round trip, by its own clock.

A rate is a text of two times in microseconds, "when it is full, when that was written", and expires when it is full. If
the server's clock has been set back since, the first time is set back by as much. Simultaneous calls are a hash that
maps each process to "how many it has, until when". A process that has died gives its slots back by not reporting any
more.
"""

from hashlib import sha1

SLOTS_KEPT_US = 4_000_000
"""The time for which a process keeps its slots without a report."""
SHARE = 8
"""The divisor for what a process is granted ahead of need: at most this share of what is left after the callers who
wait.

If less than half of a rate is left, nothing is granted ahead, because the callers of other processes would lack it.
"""

TEXT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local together, process = ARGV[1], ARGV[2]
local WINDOW, KEPT, SHARE = 60000000, %(kept)d, %(share)d

local function rate(at)
  local state = {limit = tonumber(ARGV[at + 1]), need = tonumber(ARGV[at + 2]), want = tonumber(ARGV[at + 3])}
  local back, debit, soft = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  state.full = now
  local text = redis.call('GET', KEYS[(at - 3) / 7 + 1])
  if text then
    local full, seen = string.match(text, '^(%%d+) (%%d+)$')
    full, seen = tonumber(full), tonumber(seen)
    state.was = full
    if now < seen then full = full - (seen - now) end
    state.full = math.max(now, full)
  end
  local limit = state.limit
  state.full = math.max(now, state.full - math.floor(back * WINDOW / limit))
  state.full = state.full + math.ceil(debit * WINDOW / limit)
  state.full = math.min(state.full + math.ceil(soft * WINDOW / limit), math.max(state.full, now + WINDOW))
  local slack = math.min(limit, math.floor(WINDOW / (2 * limit)))
  state.there = math.max(0, math.floor((now + WINDOW - state.full + slack) * limit / WINDOW))
  state.spare = state.there >= limit / 2
  return state
end

local function slots(at)
  local key = KEYS[(at - 3) / 7 + 1]
  local state = {limit = tonumber(ARGV[at + 1]), need = tonumber(ARGV[at + 2]), want = tonumber(ARGV[at + 3])}
  state.held, state.others = tonumber(ARGV[at + 4]), 0
  local found = redis.call('HGETALL', key)
  for i = 1, #found, 2 do
    local count, till = string.match(found[i + 1], '^(%%d+) (%%d+)$')
    count, till = tonumber(count), tonumber(till)
    if till <= now then
      redis.call('HDEL', key, found[i])
    elseif found[i] ~= process then
      if till > now + KEPT then
        redis.call('HSET', key, found[i], string.format('%%d %%.0f', count, now + KEPT))
      end
      state.others = state.others + count
    end
  end
  state.there = math.max(0, state.limit - state.others - state.held)
  state.spare = true
  return state
end

local states, short = {}, false
for i = 1, #KEYS do
  local at = 3 + (i - 1) * 7
  local state = ARGV[at] == 'rate' and rate(at) or slots(at)
  if together == '1' and state.there < math.min(state.need, state.limit) then short = true end
  states[i] = state
end

local answer = {}
for i = 1, #KEYS do
  local state, key, granted = states[i], KEYS[i], 0
  if together == '1' then
    granted = short and 0 or state.need
  else
    granted = math.min(state.need, state.there)
    if state.spare then
      granted = granted + math.min(state.want, math.floor((state.there - granted) / SHARE))
    end
  end
  if state.full then
    state.full = state.full + math.ceil(granted * WINDOW / state.limit)
    local left = state.full - now
    if left <= 0 then
      if state.was then redis.call('DEL', key) end
    elseif state.full ~= state.was then
      redis.call('SET', key, string.format('%%.0f %%.0f', state.full, now), 'PX', math.ceil(left / 1000))
    end
    answer[i] = {granted, left}
  else
    local mine = state.held + granted
    if mine > 0 then
      redis.call('HSET', key, process, string.format('%%d %%.0f', mine, now + KEPT))
      redis.call('PEXPIRE', key, KEPT / 500)
    else
      redis.call('HDEL', key, process)
    end
    answer[i] = {granted, state.others}
  end
end
return answer
""" % {"kept": SLOTS_KEPT_US, "share": SHARE}  # noqa: UP031  # braces are Lua's
SHA = sha1(TEXT.encode(), usedforsecurity=False).hexdigest()
ARGUMENTS = 7
"""The number of arguments for each key. The first of them is `rate` or `slots`."""
