"""A command to try a new key with. It does something that the scopes of the key allow and that costs nothing."""

from tenants.api_keys.services import CreatedKey

_HARMLESS = (
    ("models:read", "", "v1/models"),
    ("jobs:read", "", "v1/jobs"),
    ("documents:read", "", "v1/documents"),
    ("events:read", "-X POST ", "v1/tickets"),
)


def first_call(made: CreatedKey, public_url: str) -> str:
    """Return the command. It uses the public URL, whatever host name the page was requested by.

    It is empty if every call that the key may make changes something.
    """
    for scope, method, path in _HARMLESS:
        if scope in made.key.scopes:
            return f"curl {method}-H 'Authorization: Bearer {made.text}' {public_url.rstrip('/')}/{path}"
    return ""
