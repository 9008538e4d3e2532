"""An invoice as PDF. The modules that draw it are imported for the first PDF."""

from importlib import import_module
from typing import cast

from tenants.billing.invoices.paper import Paper


def invoice_as_pdf(paper: Paper) -> bytes:
    """Draw the PDF. The import is late because the drawing code and its fonts are about 200 modules, and other
    responses should not wait for them.
    """
    return cast("bytes", import_module("tenants.billing.invoices.pdf.document").as_pdf(paper))
