"""Converts amounts to and from Stripe's units: whole numbers of each currency's smallest unit, with Stripe's own
exceptions. Pure.
"""

_WHOLE = frozenset(
    ["BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"]
)
_THOUSANDTHS = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])
_CENT, _WHOLE_MICROS, _THOUSANDTH = 10_000, 1_000_000, 1_000
_TEN = 10


def unit_of_stripe(currency: str) -> int:
    """Return Stripe's unit in millionths. ISK and UGX have no cents, but Stripe counts them in hundredths all the
    same.
    """
    if currency in _WHOLE:
        return _WHOLE_MICROS
    return _THOUSANDTH if currency in _THOUSANDTHS else _CENT


def to_stripe(amount_micros: int, currency: str) -> int | None:
    """Return the amount in Stripe's units, or None if Stripe cannot take exactly this amount. In thousandths it takes
    only multiples of ten.
    """
    number, rest = divmod(amount_micros, unit_of_stripe(currency))
    if rest or number <= 0 or (currency in _THOUSANDTHS and number % _TEN):
        return None
    return number


def from_stripe(number: int, currency: str) -> int:
    return number * unit_of_stripe(currency)
