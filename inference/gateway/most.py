"""Compute the most that a call can cost, before its cost is known. The functions have no side effects."""

from inference.core.contracts import TensorInput, TextInput, TokenInput
from inference.rpc.works import LaneWork
from tenants.billing.ledger.headroom import Most
from tenants.plans.prices import Meter, Price

_MARKS = 2
"""The number of tokens that the model adds to every text."""


def max_of(
    model: str,
    price: Price,
    cached_price: Price,
    work: LaneWork,
    window_tokens: object = None,
    *,
    gpu_ms: int,
) -> Most:
    """Return the most that a call can cost, at the higher of the two prices because it is not yet known what is cached.
    The amount is at least the cost of one unit.

    Texts longer than `window_tokens` are refused. No more than `gpu_ms` of a call's time is charged.
    """
    window = window_tokens if isinstance(window_tokens, int) else None
    units = max(1, gpu_ms if price.meter == "gpu_second" else max_units(price.meter, work, window))
    most = max(price.cost_micros(units), cached_price.cost_micros(units))
    # In a list, the part that runs and the cached part are rounded separately.
    rounded = price.meter in ("token", "gpu_second") and max(price.per, cached_price.per) > 1
    return Most(most + (1 if rounded and most else 0), model, price.meter, units)


def max_units(meter: Meter, work: LaneWork, window_tokens: int | None = None) -> int:
    """Return the most units that a call can use. The number is exact except for the tokens of texts: a text has at most
    as many tokens as bytes.
    """
    if meter != "token":
        return 1
    match work:
        case TextInput():
            lengths = [_bytes(text) + _MARKS for text in work.texts]
        case TokenInput():
            lengths = [len(row) + _MARKS for row in work.rows]
        case TensorInput():
            lengths = []
    return sum(lengths if window_tokens is None else (min(one, window_tokens) for one in lengths))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
