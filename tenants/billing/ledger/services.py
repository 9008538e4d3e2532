"""Writes money: holds before work, settlements after it, and grants. Each runs inside its caller's transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connections

from tenants.billing.ledger import postings
from tenants.billing.ledger.committing import reserve_hold
from tenants.billing.ledger.errors import budget_exhausted, insufficient_funds
from tenants.billing.ledger.included import Works, could_be_included, hold_included, use_included
from tenants.billing.ledger.included_units import Allotted, Work, cost_by_month
from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.posting import (
    BUDGET_KEY,
    THIS_MONTH,
    Bound,
    Source,
    first_of_this_month,
    locked_wallet,
    open_wallet,
    post,
)
from tenants.billing.ledger.postings import Posting, collectable
from tenants.core.db.unit_of_work import current_alias

# This runs at each acceptance. It is one query on two indexes, which are empty for tenants without terms.
_BOUNDS = f"""
SELECT w.currency, w.kind, false FROM tenants_wallet w WHERE w.tenant_id = %(tenant)s AND w.kind = 'prepaid'
UNION ALL
SELECT b.currency, '', true FROM tenants_budget b
WHERE b.tenant_id = %(tenant)s AND (b.api_key_id IS NULL OR b.api_key_id = {BUDGET_KEY})
"""  # noqa: S608  # made of constants alone
_TAKE_FROM_BUDGETS = f"""
UPDATE tenants_budget SET
    month = {THIS_MONTH},
    used_micros = CASE WHEN month = {THIS_MONTH} THEN used_micros ELSE 0 END,
    held_micros = held_micros + %(held)s
WHERE tenant_id = %(tenant)s AND currency = %(currency)s AND (api_key_id IS NULL OR api_key_id = {BUDGET_KEY})
RETURNING monthly_micros - used_micros - held_micros + %(held)s,
          CASE WHEN api_key_id IS NULL THEN 'tenant' ELSE 'key' END, monthly_micros
"""  # noqa: S608  # made of constants alone
_ROOM_IN_BUDGETS = f"""
SELECT monthly_micros - held_micros - CASE WHEN month = {THIS_MONTH} THEN used_micros ELSE 0 END,
       CASE WHEN api_key_id IS NULL THEN 'tenant' ELSE 'key' END, monthly_micros
FROM tenants_budget
WHERE tenant_id = %(tenant)s AND currency = %(currency)s AND (api_key_id IS NULL OR api_key_id = {BUDGET_KEY})
"""  # noqa: S608  # made of constants alone

_NO_END = 2**63 - 1


def nothing() -> Sequence[Work]:
    """Return no work, for usage of which no plan includes units."""
    return ()


@dataclass(frozen=True, slots=True)
class Bounds:
    prepaid: bool
    budgets: bool


def hold(source: Source, amount_micros: int, works: Works = nothing, *, bounds: Bounds | None = None) -> int | None:
    """Hold the amount and return it, or None if nothing bounds the tenant's spending. Raise if there is not enough.

    `bounds` is the result of `require_money` in the same transaction. Included units are held before money, for
    `works`. Call it last in the transaction, except for steps that nothing else waits for, because the wallet's row
    stays locked until the end.
    """
    if amount_micros <= 0:
        return None
    if bounds is None:
        bounds = _bounds(source.tenant_id, source.currency, source.key_id)
    if not (bounds.prepaid or bounds.budgets):
        return None
    units = hold_included(source, works) if bounds.prepaid else None
    amount_micros -= units.saved_micros if units else 0
    if amount_micros:
        try:
            _hold_money(source, amount_micros)
        except BaseException:
            if units:
                units.taken.give_back()
            raise
    return amount_micros


def _hold_money(source: Source, amount_micros: int) -> None:
    if not _posted(source, postings.hold(amount_micros), bound="floor"):
        raise insufficient_funds(
            currency=source.currency,
            needed_micros=amount_micros,
            spendable_micros=_spendable(source.tenant_id, source.currency),
        )
    # The budgets are checked here whatever was read before, because a budget may have been set while this waited for
    # the wallet.
    _require_budgets(_TAKE_FROM_BUDGETS, {**source.named, "held": amount_micros}, amount_micros)
    reserve_hold(source, amount_micros)


def require_money(
    tenant_id: UUID, currency: str, amount_micros: int, *, key_id: UUID | None = None, works: Works = nothing
) -> Bounds | None:
    """Raise if a balance or a budget has less than the amount now. Nothing is held."""
    if amount_micros <= 0:
        return None
    bounds = _bounds(tenant_id, currency, key_id)
    if bounds.prepaid:
        amount_micros -= could_be_included(tenant_id, works)
    if not amount_micros:
        return bounds
    if bounds.prepaid and (there := _spendable(tenant_id, currency)) < amount_micros:
        raise insufficient_funds(currency=currency, needed_micros=amount_micros, spendable_micros=there)
    if bounds.budgets:
        values = {"tenant": tenant_id, "currency": currency, "key": key_id}
        _require_budgets(_ROOM_IN_BUDGETS, values, amount_micros)
    return bounds


def settle(
    source: Source,
    *,
    held_micros: int | None,
    cost_micros: int,
    works: Works = nothing,
    over_months: bool = False,
) -> Mapping[date, int]:
    """Write the one settlement of a source: charge its cost and give back the rest of its hold.

    Included units for `works`, the work that was done, are not charged. With `over_months`, some of it may have been
    done in past months. The amounts collected for those are returned, by month. Balance and budgets are never
    overdrawn: the part of the cost beyond hold and headroom is booked as uncollected, the operator's loss.
    """
    held = held_micros or 0
    if held_micros is None:
        if not cost_micros:
            return {}
        earlier = _earlier(works(), (), cost_micros) if over_months else {}
        whole = postings.settlement(held_micros=0, cost_micros=cost_micros, collected_micros=cost_micros)
        if post(source, whole, bound="unbounded", earlier=earlier):
            return earlier
    spared = use_included(source, works, costs=cost_micros > 0)
    cost_micros -= sum(allotment.saved_micros for allotment in spared)
    if not held and not cost_micros:
        return {}
    collected = cost_micros if cost_micros <= held else _collected(source, held, cost_micros)
    earlier = _earlier(works(), spared, collected) if over_months and cost_micros else {}
    whole = postings.settlement(held_micros=held, cost_micros=cost_micros, collected_micros=collected)
    if not _posted(source, whole, counts=True, earlier=earlier):
        raise LookupError(f"no wallet of {source.tenant_id} in {source.currency}")
    return earlier


def pay_at_once(source: Source, cost_micros: int, works: Works = nothing) -> None:
    """Hold and settle work that is done as it is accepted. Raise if there is not enough."""
    held_micros = hold(source, cost_micros, works) if cost_micros else None
    settle(source, held_micros=held_micros, cost_micros=cost_micros, works=works)


def lock_wallets(tenant_id: UUID, currencies: Iterable[str]) -> None:
    """Lock the wallets of several settlements in one transaction, before the first pool of included units."""
    wanted = sorted(set(currencies))
    if len(wanted) < 2:
        return
    for currency in wanted:
        open_wallet(tenant_id, currency)
    wallets = Wallet.objects.select_for_update(no_key=True).filter(tenant_id=tenant_id, currency__in=wanted)
    list(wallets.order_by("currency").values_list("pk"))


def _earlier(works: Iterable[Work], spared: Iterable[Allotted], collected_micros: int) -> dict[date, int]:
    """Return the parts of the collected amount that are for past months. The oldest month comes first."""
    found: dict[date, int] = {}
    this_month = first_of_this_month()
    for month, micros in sorted(cost_by_month(works, spared).items()):
        if month < this_month and (part := min(micros, collected_micros)) > 0:
            found[month] = part
            collected_micros -= part
    return found


def _collected(source: Source, held: int, cost: int) -> int:
    """Return the amount that can be collected. The wallet stays locked until the transaction ends."""
    wallet = locked_wallet(source.tenant_id, source.currency)
    rooms = [] if wallet.spendable_micros is None else [wallet.spendable_micros]
    rooms += [room for room, _, _ in _budgets(_ROOM_IN_BUDGETS, source.named)]
    return collectable(cost_micros=cost, held_micros=held, rooms_micros=rooms)


def _posted(
    source: Source,
    posting: Posting,
    bound: Bound = "none",
    counts: bool = False,
    earlier: Mapping[date, int] | None = None,
) -> bool:
    """Post, and create the wallet if there is none. Return whether the bound allowed it."""
    attempt = partial(post, source, posting, bound=bound, counts=counts, earlier=earlier)
    if attempt():
        return True
    open_wallet(source.tenant_id, source.currency)
    return attempt()


def _bounds(tenant_id: UUID, currency: str, key_id: UUID | None) -> Bounds:
    """Return the bounds. A tenant that is prepaid anywhere has nothing in a currency without a balance."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_BOUNDS, {"tenant": tenant_id, "key": key_id})
        rows = cursor.fetchall()
    return Bounds(
        prepaid=any(kind == Wallet.Kind.PREPAID for _, kind, _ in rows),
        budgets=any(is_budget and of == currency for of, _, is_budget in rows),
    )


def _budgets(statement: str, values: Mapping[str, Any]) -> list[tuple[int, str, int]]:
    """Return the headroom of each budget before the statement, whose it is, and its amount a month."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[int, str, int]] = cursor.fetchall()
        return rows


def _require_budgets(statement: str, values: Mapping[str, Any], amount_micros: int) -> None:
    """Raise if a budget has less than the amount. What the statement wrote must then be rolled back."""
    for room, scope, monthly in _budgets(statement, values):
        if room < amount_micros:
            raise budget_exhausted(
                scope=scope,
                currency=values["currency"],
                needed_micros=amount_micros,
                monthly_micros=monthly,
                left_micros=max(0, room),
            )


def _spendable(tenant_id: UUID, currency: str) -> int:
    """Return the amount that a prepaid tenant may spend. It is unbounded if the tenant is invoiced in this currency."""
    wallet = Wallet.objects.filter(tenant_id=tenant_id, currency=currency).first()
    if wallet is None:
        return 0
    return _NO_END if wallet.spendable_micros is None else max(0, wallet.spendable_micros)
