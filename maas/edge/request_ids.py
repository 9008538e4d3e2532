"""The name under which a request is found again, in answers and in logs."""

import re
import secrets

_SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")


def request_id(offered: str | None) -> str:
    """The caller's own, when it can do no harm in a log; else a new one."""
    return offered if offered is not None and _SANE.fullmatch(offered) else secrets.token_hex(16)
