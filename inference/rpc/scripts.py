"""Define the steps of the RPC that Redis carries out atomically. Their times are in milliseconds of the server's clock.

The queue of a model version, called a lane in the code, is a few keys under one prefix: `bodies` (entries by name),
`deadlines` and `arrivals` (names by time), one `queue:<tenant>` of names for each tenant, `ring` (the tenants with
waiting requests, by start tag), `finish` (where the last request of a tenant ended), `sums` (counts and bytes), `pace`,
`served` (present while a worker reads the queue), and `wake`, on which readers block. `wake` holds at most one entry,
which was pushed there when nothing else waited so that an idle worker gets it in one step, and behind it at most one
token.
"""

import hashlib
from dataclasses import dataclass, field

from inference.core.control import CHANNEL
from inference.core.control import DEMAND as DEMAND_WORD
from inference.rpc.keys import UNSERVED, lane_key

UNSERVED_KEPT_MS = 60_000


@dataclass(frozen=True, slots=True)
class Script:
    text: str
    sha: str = field(init=False)

    def __post_init__(self) -> None:
        sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        object.__setattr__(self, "sha", sha)


# The function `forget` keeps all keys consistent. Whatever leaves the queue leaves through it.
_LANE = """
local time = redis.call('time')
local now = time[1] * 1000 + time[2] / 1000

local function forget(lane, name)
    local tenant = string.sub(name, 34)
    local entry = redis.call('hget', lane .. ':bodies', name)
    redis.call('hdel', lane .. ':bodies', name)
    redis.call('zrem', lane .. ':deadlines', name)
    redis.call('zrem', lane .. ':arrivals', name)
    redis.call('lrem', lane .. ':queue:' .. tenant, 1, name)
    if entry then
        local _, _, _, size = struct.unpack('<dddd', entry)
        redis.call('hincrby', lane .. ':sums', 'bytes', -size)
        redis.call('hincrby', lane .. ':sums', 'bytes:' .. tenant, -size)
    end
    if redis.call('hincrby', lane .. ':sums', 'count:' .. tenant, -1) <= 0 then
        redis.call('hdel', lane .. ':sums', 'count:' .. tenant, 'bytes:' .. tenant)
        redis.call('zrem', lane .. ':ring', tenant)
    end
    if redis.call('zcard', lane .. ':deadlines') == 0 then redis.call('del', lane .. ':sums') end
    return entry
end

local function drop_expired(lane)
    local names = redis.call('zrangebyscore', lane .. ':deadlines', '-inf', now, 'limit', 0, 200)
    for _, name in ipairs(names) do forget(lane, name) end
    return #names
end

local function wake(lane)
    if redis.call('lindex', lane .. ':wake', -1) ~= '' then redis.call('rpush', lane .. ':wake', '') end
end

local function keep(lane, ttl)
    for _, part in ipairs({'bodies', 'deadlines', 'arrivals', 'ring', 'finish', 'sums', 'pace', 'wake'}) do
        redis.call('pexpire', lane .. ':' .. part, ttl)
    end
end

local function enqueue(lane, name, entry, deadline, arrived, size, push, start, ttl)
    local tenant = string.sub(name, 34)
    redis.call('hset', lane .. ':bodies', name, entry)
    redis.call('zadd', lane .. ':deadlines', deadline, name)
    redis.call('zadd', lane .. ':arrivals', arrived, name)
    redis.call(push, lane .. ':queue:' .. tenant, name)
    redis.call('hincrby', lane .. ':sums', 'bytes', size)
    redis.call('hincrby', lane .. ':sums', 'bytes:' .. tenant, size)
    redis.call('hincrby', lane .. ':sums', 'count:' .. tenant, 1)
    redis.call('zadd', lane .. ':ring', 'nx', start, tenant)
    wake(lane)
    redis.call('pexpire', lane .. ':queue:' .. tenant, ttl)
    keep(lane, ttl)
end
"""

# Queue a request. The first step is the common one, and the only one for an idle queue. Keys: the lane, and the list of
# this answer alone or an empty string. Arguments: name, remaining ms, cost, bytes, message, claim key, claim, and the
# packed four limits and ms to keep. Returns 0, the number that wait, and 1 if a worker serves the queue; or else the
# number of the limit that was exceeded, the number that wait, the tenant's own number, and ms per request.
PUSH = Script(
    f"""
local function model_of(lane) return string.sub(lane, {len(lane_key("")) + 1}) end
local function publish_demand(lane)
    redis.call('publish', '{CHANNEL}', cjson.encode({{word = '{DEMAND_WORD}', model = model_of(lane)}}))
end
local function served(lane)
    local found = redis.call('exists', lane .. ':served')
    if found == 0 then
        redis.call('hincrby', '{UNSERVED}', model_of(lane), 1)
        redis.call('pexpire', '{UNSERVED}', {UNSERVED_KEPT_MS})
    end
    return found
end
"""
    """
local lane, name = KEYS[1], ARGV[1]
local remaining, size = tonumber(ARGV[2]), tonumber(ARGV[4])
local limits = {struct.unpack('<ddddd', ARGV[8])}
local function accept(now)
    if ARGV[6] ~= '' then redis.call('set', ARGV[6], ARGV[7], 'px', math.ceil(remaining) + 30000) end
    return struct.pack('<ddddH', now, now + remaining, tonumber(ARGV[3]), size, #name) .. name .. ARGV[5]
end
if redis.call('exists', lane .. ':wake', lane .. ':deadlines') == 0 then
    local time = redis.call('time')
    redis.call('rpush', lane .. ':wake', accept(time[1] * 1000 + time[2] / 1000))
    redis.call('pexpire', lane .. ':wake', limits[5])
    local found = served(lane)
    if found == 0 then publish_demand(lane) end
    return {0, 1, found}
end
"""
    + _LANE
    + """
local tenant = string.sub(name, 34)
drop_expired(lane)
local waiting = redis.call('zcard', lane .. ':deadlines')
local sums = {false, false, false}
if waiting > 0 then
    sums = redis.call('hmget', lane .. ':sums', 'count:' .. tenant, 'bytes', 'bytes:' .. tenant)
end
local first = redis.call('lindex', lane .. ':wake', 0)
if first and #first > 34 then waiting = waiting + 1 end
local found = {waiting + 1, (sums[1] or 0) + 1, (sums[2] or 0) + size, (sums[3] or 0) + size}
for _, limit in ipairs({2, 4, 1, 3}) do
    if found[limit] > limits[limit] then
        if KEYS[2] ~= '' then
            redis.call('rpush', KEYS[2], '')
            redis.call('pexpire', KEYS[2], 1000)
        end
        return {limit, waiting, found[2] - 1, redis.call('hget', lane .. ':pace', 'ms') or ''}
    end
end
local start = math.max(
    tonumber(redis.call('hget', lane .. ':pace', 'turn') or 0),
    tonumber(redis.call('zscore', lane .. ':finish', tenant) or 0))
enqueue(lane, name, accept(now), now + remaining, now, size, 'rpush', start, limits[5])
return {0, waiting + 1, served(lane)}
"""
)

# Return the requests that were queued since the last time while no worker served their model, and forget them. Returns
# pairs of model and number.
UNSERVED_SINCE = Script(
    """
local found = redis.call('hgetall', KEYS[1])
redis.call('del', KEYS[1])
return found
"""
)

# Take requests by start-time fair queueing: the tenant with the lowest start tag comes first, and its tag grows by the
# cost of its request. Key: the lane. Arguments: the most to take, ms to keep. Returns ms now, the number expired, the
# number that remain, and the entries.
TAKE = Script(
    _LANE
    + """
local lane = KEYS[1]
local expired = drop_expired(lane)
local ring, taken, turn = lane .. ':ring', {}, nil
while #taken < tonumber(ARGV[1]) do
    local first = redis.call('zrange', ring, 0, 0, 'withscores')
    if not first[1] then break end
    local tenant, start = first[1], tonumber(first[2])
    local name = redis.call('lindex', lane .. ':queue:' .. tenant, 0)
    local entry = name and forget(lane, name)
    if not name then
        redis.call('zrem', ring, tenant)
    elseif entry then
        local _, _, cost = struct.unpack('<dddd', entry)
        taken[#taken + 1], turn = entry, start
        if redis.call('zscore', ring, tenant) then
            redis.call('zadd', ring, start + cost, tenant)
        else
            redis.call('zadd', lane .. ':finish', start + cost, tenant)
        end
    end
end
local remaining = redis.call('zcard', lane .. ':deadlines')
local pace = redis.call('hmget', lane .. ':pace', 'ms', 'since')
if pace[2] and #taken > 0 then
    local each = (now - pace[2]) / #taken
    redis.call('hset', lane .. ':pace', 'ms', pace[1] and 0.7 * pace[1] + 0.3 * each or each)
end
if remaining > 0 then
    if turn then
        redis.call('hset', lane .. ':pace', 'turn', turn, 'since', now)
        redis.call('zremrangebyscore', lane .. ':finish', '-inf', turn)
    end
    wake(lane)
else
    redis.call('hdel', lane .. ':pace', 'turn', 'since')
    redis.call('del', lane .. ':finish', ring)
end
if #taken > 0 or remaining > 0 then keep(lane, ARGV[2]) end
return {string.format('%.3f', now), expired, remaining, unpack(taken)}
"""
)

# Give a request back to its queue. Key: the lane. Arguments: name, entry, claim key, claim, ms to keep. Returns 1, or 0
# if no caller can be waiting for it any more.
GIVE_BACK = Script(
    _LANE
    + """
local lane, name, entry = KEYS[1], ARGV[1], ARGV[2]
local arrived, deadline, _, size = struct.unpack('<dddd', entry)
if deadline <= now or redis.call('hexists', lane .. ':bodies', name) == 1 then return 0 end
if ARGV[3] ~= '' then redis.call('set', ARGV[3], ARGV[4], 'px', math.ceil(deadline - now) + 30000) end
local turn = tonumber(redis.call('hget', lane .. ':pace', 'turn') or 0)
-- An entry that lies in the wake list came later than this one.
local first = redis.call('lindex', lane .. ':wake', 0)
if first and #first > 34 then
    redis.call('lpop', lane .. ':wake')
    local came, ends, _, bytes, length = struct.unpack('<ddddH', first)
    enqueue(lane, string.sub(first, 35, 34 + length), first, ends, came, bytes, 'lpush', turn, ARGV[5])
end
enqueue(lane, name, entry, deadline, arrived, size, 'lpush', turn, ARGV[5])
return 1
"""
)

# Cancel a request. Key: the lane. Arguments: name, claim key, channel, message. Returns 1 if it waited here and no
# longer does; otherwise the message is published to the workers.
CANCEL = Script(
    _LANE
    + """
local lane, name = KEYS[1], ARGV[1]
if ARGV[2] ~= '' then redis.call('unlink', ARGV[2]) end
local first = redis.call('lindex', lane .. ':wake', 0)
local found = true
if redis.call('zscore', lane .. ':deadlines', name) then
    forget(lane, name)
elseif first and string.sub(first, 35, 34 + #name) == name then
    redis.call('lpop', lane .. ':wake')
else
    found = false
end
if found then
    return 1
end
redis.call('publish', ARGV[3], ARGV[4])
return 0
"""
)

# Measure the demand. Keys: the lanes. Returns ms now, and for each lane the number that wait and the ms for which the
# oldest has waited.
DEMAND = Script(
    _LANE
    + """
local told = {string.format('%.3f', now)}
for _, lane in ipairs(KEYS) do
    drop_expired(lane)
    local waiting = redis.call('zcard', lane .. ':deadlines')
    local oldest = tonumber(redis.call('zrange', lane .. ':arrivals', 0, 0, 'withscores')[2] or now)
    local first = redis.call('lindex', lane .. ':wake', 0)
    if first and #first >= 34 then
        local arrived, deadline = struct.unpack('<dd', first)
        if deadline > now then
            waiting, oldest = waiting + 1, math.min(oldest, arrived)
        end
    end
    told[#told + 1] = waiting
    told[#told + 1] = math.max(0, math.floor(now - oldest))
end
return told
"""
)

# Report what a worker serves. Keys: the lanes, then the requests that it holds. Arguments: the number of lanes, ms to
# remember. Returns ms now.
SERVE = Script(
    """
for at, key in ipairs(KEYS) do
    redis.call('set', at <= tonumber(ARGV[1]) and key .. ':served' or key, '', 'px', ARGV[2])
end
local time = redis.call('time')
return string.format('%.3f', time[1] * 1000 + time[2] / 1000)
"""
)

# Look for a request. Keys: the lane, the key of a held request. Argument: name. Returns 1 while it waits or a live
# worker holds it.
LOOK = Script(
    """
local lane, name = KEYS[1], ARGV[1]
if redis.call('exists', KEYS[2]) == 1 or redis.call('zscore', lane .. ':deadlines', name) then return 1 end
local first = redis.call('lindex', lane .. ':wake', 0)
return first and string.sub(first, 35, 34 + #name) == name and 1 or 0
"""
)

# Send a reply. Key: the list of replies. Arguments: message, ms to keep, claim key, claim, claim key of the request.
REPLY = Script(
    """
if ARGV[5] ~= '' then redis.call('unlink', ARGV[5]) end
if ARGV[3] ~= '' then redis.call('set', ARGV[3], ARGV[4], 'px', ARGV[2]) end
redis.call('rpush', KEYS[1], ARGV[1])
redis.call('pexpire', KEYS[1], ARGV[2])
return 1
"""
)

# Send several replies. Key: the list of replies. Arguments: ms to keep, then the messages.
REPLIES = Script(
    """
redis.call('rpush', KEYS[1], unpack(ARGV, 2))
redis.call('pexpire', KEYS[1], ARGV[1])
return 1
"""
)

# Read a payload once and delete it. Key: the claim. Argument: the most bytes. Returns the payload, or false if it is
# gone or too large to be read into memory.
CLAIM = Script(
    """
local payload = false
if redis.call('strlen', KEYS[1]) <= tonumber(ARGV[1]) then payload = redis.call('get', KEYS[1]) end
redis.call('unlink', KEYS[1])
return payload
"""
)
