"""What a call costs at most, before it is known what it costs: pure."""

from inference.core.contracts import TensorInput, TextInput, TokenInput
from inference.rpc.works import LaneWork
from tenants.billing.ledger.headroom import Most
from tenants.plans.prices import Meter, Price

_MARKS = 2
"""Tokens that every text has beside its own."""


def most_of(
    model: str,
    price: Price,
    cached_price: Price,
    work: LaneWork,
    window_tokens: object = None,
    *,
    gpu_ms: int,
) -> Most:
    """At whichever price is higher: nobody knows yet what is known already. At least what one unit costs.

    `window_tokens`: longer texts are refused. `gpu_ms`: no more of a call's time is charged.
    """
    window = window_tokens if isinstance(window_tokens, int) else None
    units = max(1, gpu_ms if price.meter == "gpu_second" else most_units(price.meter, work, window))
    most = max(price.cost_micros(units), cached_price.cost_micros(units))
    # Of a list, what runs and what is known are rounded each for itself.
    rounded = price.meter in ("token", "gpu_second") and max(price.per, cached_price.per) > 1
    return Most(most + (1 if rounded and most else 0), model, price.meter, units)


def most_units(meter: Meter, work: LaneWork, window_tokens: int | None = None) -> int:
    """Exact but for the tokens of texts: a text has no more of them than bytes."""
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
