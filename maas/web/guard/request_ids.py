"""Name each request, so that it can be found in answers and logs."""

import random
import re

_SANE = re.compile(r"[A-Za-z0-9._-]{1,64}")


def request_id(offered: str | None) -> str:
    """Return the caller's own id if it can do no harm in a log, or else a new one."""
    if offered is not None and _SANE.fullmatch(offered):
        return offered
    # The id is a name and need not be secret.
    return f"{random.getrandbits(128):032x}"
