"""A gate refuses requests because of load, an account's limit, money or an outage.

Each app lists its gates in `gates.py`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

FIXED = _("fixed")
OUTAGE = "–"
"""The setting of a gate that refuses while a part of the service is unavailable. There is nothing to change."""


@dataclass(frozen=True, slots=True)
class Gate:
    name: str
    """The value of the field `gate` in refusals, by which the request log says which gate refused a request."""
    code: str
    bounds: "StrOrPromise"
    each: "StrOrPromise"
    """Whose share it bounds: that of an account, a key, a client IP, a process, a model or everybody."""
    setting: "StrOrPromise"
    """Where an operator changes it."""
