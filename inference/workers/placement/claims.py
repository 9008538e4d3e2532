"""Sees to it that a cold model is taken by one worker, where two looked at the fleet in different moments."""

from inference.core.prompt_redis import single_try

PREFIX = "maas:home:"
CLAIM_S = 5
"""Until the claimer's heartbeat says that it loads; it says so at once. A claimer that dies is forgotten as soon."""


class ModelClaims:
    """Raises RedisError while Redis is away."""

    def __init__(self, url: str, name: str) -> None:
        self._name = name
        self._redis = single_try(url)

    def take(self, key: str) -> bool:
        """True for one worker of all that ask within a few seconds, however often it asks itself."""
        if self._redis.set(PREFIX + key, self._name, nx=True, ex=CLAIM_S):
            return True
        if self._redis.get(PREFIX + key) != self._name.encode():
            return False
        self._redis.expire(PREFIX + key, CLAIM_S)
        return True
