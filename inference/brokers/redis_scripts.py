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
