"""Claims in Redis, which make sure that only one worker takes a cold model even if two looked at different moments."""

from inference.core.prompt_redis import single_try

PREFIX = "maas:home:"
CLAIM_S = 5
"""Seconds that a claim lasts: until its worker's heartbeat says that it loads the model, which is at once."""


class ModelClaims:
    """The claims of one worker. Its methods raise RedisError while Redis is unavailable."""

    def __init__(self, url: str, name: str) -> None:
        self._name = name
        self._redis = single_try(url)

    def take(self, key: str) -> bool:
        """Claim a model. Of all workers, only one gets True, and it gets True again if it repeats the claim."""
        if self._redis.set(PREFIX + key, self._name, nx=True, ex=CLAIM_S):
            return True
        if self._redis.get(PREFIX + key) != self._name.encode():
            return False
        self._redis.expire(PREFIX + key, CLAIM_S)
        return True
