"""The name under which a request is found again, in answers and in logs."""

import random
import re

_SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")


def request_id(offered: str | None) -> str:
    """The caller's own, when it can do no harm in a log; else a new one."""
    if offered is not None and _SANE.fullmatch(offered):
        return offered
    # A name, and no secret.
    return f"{random.getrandbits(128):032x}"
