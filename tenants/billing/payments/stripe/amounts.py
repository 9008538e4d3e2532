"""How Stripe counts money: whole numbers of each currency's own smallest unit, with exceptions of its own. Pure."""

_WHOLE = frozenset(
    ["BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"]
)
_THOUSANDTHS = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])
_CENT, _WHOLE_MICROS, _THOUSANDTH = 10_000, 1_000_000, 1_000
_TEN = 10


def unit_of_stripe(currency: str) -> int:
    """In millionths. ISK and UGX have no cents, and Stripe counts them in hundredths all the same."""
    if currency in _WHOLE:
        return _WHOLE_MICROS
    return _THOUSANDTH if currency in _THOUSANDTHS else _CENT


def to_stripe(amount_micros: int, currency: str) -> int | None:
    """None for what Stripe cannot be asked for to the last unit; of thousandths it takes tens alone."""
    number, rest = divmod(amount_micros, unit_of_stripe(currency))
    if rest or number <= 0 or (currency in _THOUSANDTHS and number % _TEN):
        return None
    return number


def from_stripe(number: int, currency: str) -> int:
    return number * unit_of_stripe(currency)
