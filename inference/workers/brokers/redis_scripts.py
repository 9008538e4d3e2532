"""The steps of the Redis broker that must not be torn apart."""

TAKE = """
local taken = {}
for i = 1, tonumber(ARGV[1]) do
    local body = redis.call('lmove', KEYS[1], KEYS[2], 'LEFT', 'RIGHT')
    if not body then break end
    taken[i] = body
end
return taken
"""

# Before what waits, behind those that were put there so: these keep their order. The head of a queue is all that is
# looked at; who has more than that before him waits for them all the same.
PUT_FIRST = """
local last = false
for _, body in ipairs(redis.call('lrange', KEYS[1], 0, 63)) do
    if not string.find(body, ARGV[2], 1, true) then break end
    last = body
end
if last then return redis.call('linsert', KEYS[1], 'AFTER', last, ARGV[1]) end
return redis.call('lpush', KEYS[1], ARGV[1])
"""

# Last first onto the head, so that the oldest message is again the next one.
GIVE_BACK = """
for i = #ARGV, 1, -1 do
    if redis.call('lrem', KEYS[1], 1, ARGV[i]) > 0 then
        redis.call('lpush', KEYS[2], ARGV[i])
    end
end
"""

# One step, so that a consumer that comes back to life meanwhile stays registered.
BURY = """
if redis.call('exists', KEYS[1]) == 1 then return 0 end
local moved = 0
while redis.call('lmove', KEYS[2], KEYS[3], 'RIGHT', 'LEFT') do moved = moved + 1 end
redis.call('hdel', KEYS[4], ARGV[1])
return moved
"""
