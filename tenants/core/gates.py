"""A gate: a place that refuses requests because of load, limits or money. Each app lists its gates in `gates.py`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class Gate:
    name: str
    """The value of the field `gate` in refusals, by which the request log says which gate refused a request."""
    code: str
    bounds: "StrOrPromise"
    each: "StrOrPromise"
    """Whose share it bounds: that of an account, a key, a client IP, a process, a model or everybody."""
    setting: "StrOrPromise"
    """Where an operator changes it. Empty if it follows from the state of the service."""
