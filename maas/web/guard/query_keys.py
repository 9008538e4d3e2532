"""Finds API keys in addresses, which end up in histories and logs."""

import re
from urllib.parse import parse_qsl

_LOOKS_LIKE_A_KEY = re.compile(r"maas_(live|test)_[0-9A-Za-z]{12}_[0-9A-Za-z]")
_NAMES = frozenset({"api_key", "apikey", "api-key", "access_token"})


def carries_key(query: bytes) -> bool:
    """Whether a query string carries a key, or names one: a key that is cut short is refused as well."""
    if not query:
        return False
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    return any(name.lower() in _NAMES or _LOOKS_LIKE_A_KEY.search(f"{name}={value}") for name, value in pairs)
