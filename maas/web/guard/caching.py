"""Say what proxies and browsers may store of an answer."""

from collections.abc import Sequence

Header = tuple[bytes, bytes]
UNDER = "/v1/"
NOTHING: Header = (b"cache-control", b"private, no-store")


def with_caching(path: str, headers: Sequence[Header]) -> list[Header]:
    """Add `no-store` to JSON of the API, which belongs to a tenant and is soon out of date, unless the answer has its
    own directive.
    """
    if path.startswith(UNDER) and _is_silent_json(headers):
        return [*headers, NOTHING]
    return list(headers)


def _is_silent_json(headers: Sequence[Header]) -> bool:
    is_json = False
    for name, value in headers:
        lower = name.lower()
        if lower == b"cache-control":
            return False
        if lower == b"content-type":
            kind = value.partition(b";")[0].strip().lower()
            is_json = kind == b"application/json" or kind.endswith(b"+json")
    return is_json
