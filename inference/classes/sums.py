"""The arithmetic of a page: amounts that are sums or products of the numbers before them, as on invoices."""

import re

_NUMBER = re.compile(r"(?<![\w.,/:-])-?\d{1,3}(?:[.,' ]\d{3})*(?:[.,]\d{1,2})?(?![\w/:]|[.,]\d)")
MAX_NUMBERS = 150
REACH = 12
"""The number of amounts before a sum that may belong to it."""
MIN_CENTS = 100


def sums_on(text: str) -> int:
    """Return how many amounts are the sum of those before them, or the product of the two numbers before them."""
    numbers = [_value(match) for match in _NUMBER.findall(text)[:MAX_NUMBERS]]
    amounts = [cents for cents, is_amount in numbers if is_amount]
    sums = sum(_is_sum(amounts, at) for at in range(2, len(amounts)))
    triples = zip(numbers, numbers[1:], numbers[2:], strict=False)
    return sums + sum(_is_product(one[0], two[0], product) for one, two, product in triples)


def _value(number: str) -> tuple[int, bool]:
    """Return a number in hundredths, and if it was written with hundredths."""
    is_amount = number[-3:-2] in (".", ",")
    digits = int(re.sub(r"\D", "", number))
    if number[-2:-1] in (".", ","):
        return digits * 10, False
    return (digits, True) if is_amount else (digits * 100, False)


def _is_sum(amounts: list[int], at: int) -> bool:
    total, found = 0, 0
    for amount in reversed(amounts[max(0, at - REACH) : at]):
        total, found = total + amount, found + (amount > 0)
        if total == amounts[at] and found > 1 and total >= MIN_CENTS:
            return True
        if total > amounts[at]:
            return False
    return False


def _is_product(one: int, two: int, product: tuple[int, bool]) -> bool:
    cents, is_amount = product
    return is_amount and min(one, two) > 100 and cents >= MIN_CENTS and abs(one * two - cents * 100) <= 50
