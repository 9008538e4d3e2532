"""The steps of the Redis broker that must run atomically."""

TAKE = """
local taken = {}
for i = 1, tonumber(ARGV[1]) do
    local body = redis.call('lmove', KEYS[1], KEYS[2], 'LEFT', 'RIGHT')
    if not body then break end
    taken[i] = body
end
return taken
"""

# Put a message before the waiting messages and behind the messages that were put first earlier, so that these keep
# their order. The script looks only at the head of the queue. If more messages than that were put first, the new
# message goes behind those within the head and before the others.
PUT_FIRST = """
local last = false
for _, body in ipairs(redis.call('lrange', KEYS[1], 0, 63)) do
    if not string.find(body, ARGV[2], 1, true) then break end
    last = body
end
if last then return redis.call('linsert', KEYS[1], 'AFTER', last, ARGV[1]) end
return redis.call('lpush', KEYS[1], ARGV[1])
"""

# Put the last message back first, so that the oldest message is again at the head of the queue.
GIVE_BACK = """
for i = #ARGV, 1, -1 do
    if redis.call('lrem', KEYS[1], 1, ARGV[i]) > 0 then
        redis.call('lpush', KEYS[2], ARGV[i])
    end
end
"""

# This is one step, so that a consumer that becomes alive again meanwhile stays registered.
BURY = """
if redis.call('exists', KEYS[1]) == 1 then return 0 end
local moved = 0
while redis.call('lmove', KEYS[2], KEYS[3], 'RIGHT', 'LEFT') do moved = moved + 1 end
redis.call('hdel', KEYS[4], ARGV[1])
return moved
"""
