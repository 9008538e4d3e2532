"""What may be kept of an answer by whoever passes it on."""

from collections.abc import Sequence

Header = tuple[bytes, bytes]
UNDER = "/v1/"
NOTHING: Header = (b"cache-control", b"private, no-store")


def with_caching(path: str, headers: Sequence[Header]) -> list[Header]:
    """JSON of the API is a tenant's own and soon out of date: nobody keeps it unless the answer says that they may."""
    said = {name.lower(): value for name, value in headers}
    kind = said.get(b"content-type", b"").partition(b";")[0].strip().lower()
    is_json = kind == b"application/json" or kind.endswith(b"+json")
    if path.startswith(UNDER) and is_json and b"cache-control" not in said:
        return [*headers, NOTHING]
    return list(headers)
