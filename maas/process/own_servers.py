"""Says which of the operator's own servers are missing where embedded servers are ruled out (`MAAS_EMBEDDED=0`)."""

from collections.abc import Mapping

from tenants.core.messages import names_in_words

SERVERS = ("MAAS_DATABASE_URL", "MAAS_REDIS_URL", "MAAS_CACHE_URL", "MAAS_STORAGE_URL")
"""The settings that name servers and storage. Each of them has a default on this machine."""
_NO = frozenset({"0", "false", "no", "off"})


def missing_servers(values: Mapping[str, str]) -> str:
    """Return why nothing may start without embedded servers, or an empty text if it may start."""
    ruled_out = (values.get("MAAS_EMBEDDED") or "1").lower() in _NO
    missing = [name for name in SERVERS if not values.get(name)] if ruled_out else []
    if not missing:
        return ""
    return (
        f"MAAS_EMBEDDED={values['MAAS_EMBEDDED']} rules out embedded servers, but there is no value of "
        f"{names_in_words(missing)}. Set the URLs of your own servers."
    )
