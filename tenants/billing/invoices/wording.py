"""The texts of invoice lines, and the parties on an invoice. Pure except for the rows it is given."""

from collections.abc import Mapping
from uuid import UUID

from tenants.billing.invoices.calculation import CalculatedLine, Tax
from tenants.billing.invoices.models import BillingDetails, Seller
from tenants.plans.wording import name_of

LONGEST = 300
PRINTED = ("name", "address", "country", "tax_id", "email")
REVERSE_CHARGE = "Reverse charge: the customer is liable for the tax."
EXEMPT = "Exempt from tax."


def text_of(line: CalculatedLine, plans: Mapping[UUID, str]) -> str:
    item = line.item
    match item.kind:
        case "fee":
            plan = plans.get(item.plan_id, "") if item.plan_id else ""
            text = f"Plan {plan}, {item.month:%B %Y}"
        case "uncollected":
            text = "Not charged: the balance was used up"
        case _:
            meter = f"{name_of(item.price.meter)}s" if item.price else ""
            text = ", ".join(
                part for part in (item.model, "known results" if item.cached else "", meter) if part
            )
    return (f"{text} ({item.month:%B %Y}, told late)" if line.late else text)[:LONGEST]


def tax_for(seller: Seller, details: BillingDetails | None) -> Tax:
    kind = details.tax if details else BillingDetails.Tax.STANDARD
    if kind == BillingDetails.Tax.REVERSE_CHARGE:
        return Tax(seller.tax_name, 0, REVERSE_CHARGE)
    if kind == BillingDetails.Tax.EXEMPT:
        return Tax(seller.tax_name, 0, EXEMPT)
    own = details.tax_rate_bp if details else None
    return Tax(seller.tax_name, seller.tax_rate_bp if own is None else own)


def seller_as_printed(seller: Seller) -> dict[str, str]:
    return {name: getattr(seller, name) for name in (*PRINTED, "bank_details", "footer")}


def buyer_as_printed(details: BillingDetails | None, account: str) -> dict[str, str]:
    if details is None:
        return {**dict.fromkeys((*PRINTED, "reference"), ""), "name": account}
    return {name: getattr(details, name) for name in (*PRINTED, "reference")}
