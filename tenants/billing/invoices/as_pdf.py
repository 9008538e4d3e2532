"""An invoice on paper, drawn by modules that are imported for the first one."""

from importlib import import_module
from typing import cast

from tenants.billing.invoices.paper import Paper


def invoice_as_pdf(paper: Paper) -> bytes:
    """Draw the paper. What draws is some 200 modules with its fonts, and no other answer has to wait for them."""
    return cast("bytes", import_module("tenants.billing.invoices.pdf.written").as_pdf(paper))
