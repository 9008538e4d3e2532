"""The designs of invoices and receipts: sixty, each with its own arrangement."""

import random
from dataclasses import dataclass

TEMPLATES = 60
TUNING, TEST = 0, 1
"""The remainders by two of the templates that thresholds are chosen on, and of those that figures are taken from."""


@dataclass(frozen=True)
class Design:
    template: int
    kind: str
    """One of invoice, credit, receipt."""
    header: str
    buyer: str
    numbers: str
    heads: tuple[str, ...]
    """The columns of the items."""
    rules: str
    totals: str
    foot: str
    currency: str
    """Where the currency stands: after, before, code_after, code_before, head, total, or none."""
    dates: str
    several_rates: bool
    rate_table: bool
    tax_sum: bool
    has_due: bool
    has_order: bool
    has_net: bool
    has_discount: bool
    has_shipping: bool
    has_deposit: bool
    pages: int
    abroad: bool
    """Whether the country is another one that speaks the language, such as Switzerland."""
    repeated_header: bool


def design_of(template: int) -> Design:
    chance = random.Random(f"billing design {template}")
    pick = chance.choice

    def likely(share: float) -> bool:
        return chance.random() < share

    kind = "receipt" if template % 10 in (8, 9) else "credit" if template % 15 in (6, 7) else "invoice"
    several = likely(0.3)
    header = pick(("left", "right", "center", "columns", "logo", "buyer_first", "left", "bar"))
    return Design(
        template,
        kind,
        header,
        "labeled" if header == "columns" else pick(("window", "window", "right", "labeled", "labeled", "with_ship")),
        pick(("right_block", "left_colon", "grid", "leaders", "title", "row", "stacked", "sentence_title")),
        pick(
            (
                ("item", "quantity", "price", "amount"),
                ("position", "item", "quantity", "price", "amount"),
                ("quantity", "item", "price", "amount"),
                ("item", "quantity", "price", "rate", "amount"),
                ("code", "item", "quantity", "price", "amount"),
                ("item", "amount"),
            )
        ),
        pick(("none", "head", "rows", "grid", "stripes")),
        pick(("right", "wide", "boxed", "across", "leaders", "right")),
        pick(("columns", "line", "block", "dots", "none", "columns")),
        pick(("after", "before", "code_after", "code_before", "head", "total", "none", "after", "before")),
        pick(("numeric", "numeric", "long", "iso", "short_year", "slash")),
        several,
        several and likely(0.6),
        likely(0.5),
        likely(0.65),
        likely(0.5),
        likely(0.85),
        likely(0.2),
        likely(0.2),
        likely(0.12),
        2 if template % 6 in (2, 5) and kind != "receipt" else 1,
        likely(0.3),
        likely(0.6),
    )
