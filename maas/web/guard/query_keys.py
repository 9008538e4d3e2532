"""Find API keys in addresses, which are stored in histories and logs."""

import re
from urllib.parse import parse_qsl

from tenants.api_keys.format import START

_LOOKS_LIKE_A_KEY = re.compile(rf"{START}[0-9A-Za-z]{{12}}_[0-9A-Za-z]")
_NAMES = frozenset({"api_key", "apikey", "api-key", "access_token"})


def carries_key(query: bytes) -> bool:
    """Return whether a query string contains a key or a parameter for one. A truncated key is refused too."""
    if not query:
        return False
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    return any(name.lower() in _NAMES or _LOOKS_LIKE_A_KEY.search(f"{name}={value}") for name, value in pairs)
