"""The choice of net, tax and total: those that are labeled best and that add up."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product

from inference.core.contracts import Json
from inference.fields.candidate import Candidate

TOLERANCE = Decimal("0.02")
MAX_CHOICES = 7
"""The candidates of each sum that are tried against each other."""
ADDS_UP, BY_RATES, BY_ITEMS, BY_GROSS_ITEMS = 0.9, 0.5, 0.35, 0.15
"""The worth of a sum that is proved by others, beside the scores of labels."""


MAX_EXTRAS = 4
PART = 0.8
"""The loss of a sum that is that of one rate of several."""


@dataclass(frozen=True, slots=True)
class OnPage:
    page: int
    candidate: Candidate

    @property
    def value(self) -> Decimal:
        return Decimal(self.candidate.normalized or "0")


@dataclass(frozen=True, slots=True)
class Sums:
    net: OnPage | None
    tax: OnPage | None
    total: OnPage | None
    adds_up: bool
    """It is set if net and tax are the total, where the tax may be that of several rates."""
    is_proved: bool
    """It is set if rates or items prove one of the sums."""

    @property
    def contradicts(self) -> bool:
        return not self.adds_up and None not in (self.net, self.tax, self.total)


@dataclass(frozen=True, slots=True)
class Proofs:
    nets: frozenset[Decimal]
    taxes: frozenset[Decimal]
    totals: frozenset[Decimal]
    parts: frozenset[Decimal]
    """The net amounts and taxes of single rates, where there are several."""
    items: frozenset[Decimal]
    """The sums that the line items may make together with discounts and other costs."""
    withheld: frozenset[Decimal]
    """What the buyer may keep of the total and pay to the tax office for the supplier, and nothing."""


def choose_sums(
    candidates: Sequence[OnPage],
    extras: Sequence[Decimal],
    rates: Sequence[Json],
    items: Sequence[Json],
    withheld: Sequence[Decimal] = (),
) -> Sums:
    """Return the sums that are labeled best and add up.

    `extras` are discounts and other costs, `withheld` the taxes that the buyer pays for the supplier.
    """
    by_name = {name: _best([each for each in candidates if each.candidate.name == name]) for name in _NAMES}
    proofs = _proofs(rates, items, _steps(extras), frozenset((Decimal(0), *map(abs, withheld))))
    tax_sum = sum((Decimal(rate["tax"]) for rate in rates), Decimal(0)) if rates else None
    row_taxes = _distinct_tax(by_name["tax"])
    if row_taxes is not None:
        of_rates = {tax.value for tax in by_name["tax"] if tax.candidate.rate}
        proofs = replace(proofs, parts=proofs.parts | of_rates - {row_taxes})
    best: tuple[float, Sums] | None = None
    for total, net, tax in product(*([*by_name[name], None] for name in ("total", "net", "tax"))):
        score, sums = _judged(net, tax, total, proofs, (tax_sum, row_taxes))
        if best is None or score > best[0]:
            best = score, sums
    assert best is not None
    return _without_line_sum(best[1], extras)


def _without_line_sum(sums: Sums, extras: Sequence[Decimal]) -> Sums:
    """Return the sums without a net amount that is that of the lines alone, before a discount and other costs."""
    if sums.net is None or sums.tax is None or sums.total is None or sums.adds_up:
        return sums
    rest = sums.total.value - sums.tax.value - sums.net.value
    explained = any(_equal(rest, step) for step in _steps(extras))
    return replace(sums, net=None, is_proved=True) if explained else sums


_NAMES = ("net", "tax", "total")


def _best(found: Sequence[OnPage]) -> list[OnPage]:
    """Return the best candidate of each value, where later pages come before earlier ones."""
    by_value: dict[Decimal, OnPage] = {}
    for each in sorted(found, key=lambda one: (-round(one.candidate.score, 1), -one.page, -one.candidate.top)):
        by_value.setdefault(each.value, each)
    return list(by_value.values())[:MAX_CHOICES]


def _distinct_tax(taxes: Sequence[OnPage]) -> Decimal | None:
    """Return the sum of the taxes that are labeled with different rates, or None if there are not several."""
    by_rate = {tax.candidate.rate: tax for tax in reversed(taxes) if tax.candidate.rate and tax.candidate.score > 0.3}
    return sum((tax.value for tax in by_rate.values()), Decimal(0)) if len(by_rate) > 1 else None


def _proofs(rates: Sequence[Json], items: Sequence[Json], steps: set[Decimal], withheld: frozenset[Decimal]) -> Proofs:
    nets = {sum((Decimal(rate["net"]) for rate in rates), Decimal(0))}
    parts = {Decimal(rate[name]) for rate in rates for name in ("net", "tax")} if len(rates) > 1 else set()
    taxes = {sum((Decimal(rate["tax"]) for rate in rates), Decimal(0))}
    total = sum((Decimal(item["amount"]) for item in items), Decimal(0))
    return Proofs(
        frozenset(nets if rates else ()),
        frozenset(taxes if rates else ()),
        frozenset(net + tax for net in nets for tax in taxes if rates),
        frozenset(parts),
        frozenset(total + step for step in steps if items),
        withheld,
    )


def _judged(
    net: OnPage | None,
    tax: OnPage | None,
    total: OnPage | None,
    proofs: Proofs,
    several: tuple[Decimal | None, Decimal | None],
) -> tuple[float, Sums]:
    score = sum(each.candidate.score - 0.3 for each in (net, tax, total) if each is not None)
    used = [(each.page, each.candidate.quote, each.value) for each in (net, tax, total) if each is not None]
    if len(set(used)) < len(used):
        score -= 0.5  # The same place is two sums.
    score -= PART * sum(each is not None and each.value in proofs.parts for each in (net, tax))
    adds_up = proved = False
    if net is not None and total is not None:
        taxes = [tax.value] if tax is not None else [each for each in several if each is not None]
        adds_up = any(_equal(net.value + each - kept, total.value) for each in taxes for kept in proofs.withheld)
        if tax is None and not adds_up and _equal(net.value, total.value):
            score -= 0.2
        if tax is not None and not adds_up:
            score -= 0.45
        if adds_up and tax is None:
            score += 0.25
    if net is not None and any(_equal(net.value, each) for each in proofs.nets):
        score, proved = score + BY_RATES / 2, True
    if tax is not None and any(_equal(tax.value, each) for each in proofs.taxes):
        score, proved = score + BY_RATES / 2, True
    if total is not None and any(_equal(total.value, each) for each in proofs.totals):
        score, proved = score + BY_RATES / 2, True
    if any(_equal(each, items) for each in _before_tax(net, tax, total) for items in proofs.items):
        score, proved = score + BY_ITEMS, True
    elif total is not None and any(_equal(total.value, items) for items in proofs.items):
        score, proved = score + BY_GROSS_ITEMS, True
    return score + ADDS_UP * adds_up, Sums(net, tax, total, adds_up, proved)


def _before_tax(net: OnPage | None, tax: OnPage | None, total: OnPage | None) -> list[Decimal]:
    """Return the amounts that the items make, if their prices are without tax."""
    if total is not None and tax is not None:
        return [total.value - tax.value] if net is None else [net.value, total.value - tax.value]
    return [] if net is None else [net.value]


def _steps(extras: Sequence[Decimal]) -> set[Decimal]:
    """Return what discounts and other costs may add, whatever their signs."""
    steps = {Decimal(0)}
    for extra in extras[:MAX_EXTRAS]:
        steps |= {step + sign * extra for step in steps for sign in (1, -1)}
    return steps


def _equal(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= TOLERANCE
