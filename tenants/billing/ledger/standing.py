"""What a caller may still spend, in each currency, as it is remembered for a moment."""

from dataclasses import dataclass
from uuid import UUID

from django.db import connections

from tenants.billing.ledger.errors import insufficient_funds
from tenants.billing.ledger.journal import THIS_MONTH
from tenants.billing.prices import Price
from tenants.context import current_alias

_ROOMS = f"""
SELECT currency, CASE kind WHEN 'prepaid' THEN available_micros + credit_line_micros END, kind = 'prepaid'
FROM tenants_wallet WHERE tenant_id = %(tenant)s
UNION ALL
SELECT currency, monthly_micros - held_micros - CASE WHEN month = {THIS_MONTH} THEN used_micros ELSE 0 END, false
FROM tenants_budget WHERE tenant_id = %(tenant)s AND (api_key_id IS NULL OR api_key_id = %(key)s)
"""  # noqa: S608  # made of constants alone


@dataclass(slots=True)
class Standing:
    rooms_micros: dict[str, int]
    """By currency; where one is missing, nothing bounds it but `prepaid`."""
    prepaid: bool
    """In some currency: in those that it has no balance of, it has nothing."""
    invoiced: frozenset[str] = frozenset()
    """Currencies in which it is billed later all the same."""

    def require(self, price: Price) -> None:
        """Raises where not even the least that is charged at this price is left."""
        nothing = 0 if self.prepaid and price.currency not in self.invoiced else None
        room = self.rooms_micros.get(price.currency, nothing)
        least = price.cost_micros(1) or 1
        if room is not None and price.amount_micros and room < least:
            raise insufficient_funds(
                currency=price.currency, needed_micros=least, spendable_micros=max(0, room)
            )

    def spend(self, currency: str, amount_micros: int) -> None:
        if currency in self.rooms_micros:
            self.rooms_micros[currency] -= amount_micros


def standing_of(tenant_id: UUID, key_id: UUID | None) -> Standing:
    """Inside its unit of work."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_ROOMS, {"tenant": tenant_id, "key": key_id})
        rows = cursor.fetchall()
    rooms: dict[str, int] = {}
    for currency, room, _ in rows:
        if room is None:
            continue
        rooms[currency] = min(int(room), rooms.get(currency, int(room)))
    return Standing(
        rooms,
        prepaid=any(prepaid for _, _, prepaid in rows),
        invoiced=frozenset(currency for currency, room, _ in rows if room is None),
    )
