"""Draws a scanned document of three pages that is slightly turned, a little noisy, and has no text layer."""

from pathlib import Path
from time import gmtime

import numpy as np
from PIL import Image, ImageDraw, ImageFont

DPI = 150
SIZE_PX = (1240, 1754)  # A4
MARGIN_PX = 130

PAGES = (
    (
        "INVOICE 2026-0417",
        """Northwind Paper Ltd, 12 Harbour Road, Bristol
Bill to: Acme Document Services
Invoice date: 3 March 2026      Due: 2 April 2026

Item                               Quantity        Amount
Archive boxes, grey                      40        120.00
Scanning of files, per hour              16        720.00
Delivery                                  1         18.50

Subtotal                                           858.50
VAT 20 %                                           171.70
Total amount due                                  1030.20

Please pay by bank transfer within thirty days.""",
    ),
    (
        "Northwind Paper Ltd",
        """Bristol, 3 March 2026

Dear Ms Okafor,

Thank you for your order of 24 February. The boxes left our
warehouse this morning and should reach you on Thursday.

As we discussed on the telephone, our colleagues will come to
your office on 9 March to begin with the scanning. They will
need a table, a power socket and a key to the archive.

Please do not hesitate to call me with any question.

Yours sincerely,
Peter Lindqvist""",
    ),
    (
        "Report on the archive of Acme",
        """Summary
This report gives the results of our inspection in February.
The archive holds about 3,200 files on 210 metres of shelf.
Roughly one third can be destroyed under the rules of 2019.

Findings
1. Files from before 1998 are damp and must be dried first.
2. The index cards are complete for the years 2004 to 2021.
3. Two shelves carry no labels at all.

Recommendation
Scan the years 2004 to 2021 first, then the damp files, and
decide on the rest after the spring inventory.""",
    ),
)


def write_sample(path: Path) -> None:
    pages = [draw_page(number) for number in range(1, len(PAGES) + 1)]
    # The date is fixed rather than the date of drawing. The file has the same bytes each time, and so it is one
    # document.
    drawn = gmtime(0)
    pages[0].save(
        path,
        "PDF",
        resolution=DPI,
        save_all=True,
        append_images=pages[1:],
        creationDate=drawn,
        modDate=drawn,
    )


def draw_page(number: int) -> Image.Image:
    title, body = PAGES[number - 1]
    return _scan(_page(title, body), seed=number - 1)


def _page(title: str, body: str) -> Image.Image:
    page = Image.new("L", SIZE_PX, 250)
    draw = ImageDraw.Draw(page)
    draw.text((MARGIN_PX, MARGIN_PX), title, fill=20, font=ImageFont.load_default(size=46))
    font = ImageFont.load_default(size=27)
    for row, line in enumerate(body.splitlines()):
        draw.text((MARGIN_PX, MARGIN_PX + 110 + row * 46), line, fill=30, font=font)
    return page


def _scan(page: Image.Image, *, seed: int) -> Image.Image:
    turned = page.rotate(0.4 * (-1) ** seed, fillcolor=250, resample=Image.Resampling.BICUBIC)
    noise = np.random.default_rng(seed).normal(0, 5, (SIZE_PX[1], SIZE_PX[0]))
    return Image.fromarray(np.clip(np.asarray(turned) + noise, 0, 255).astype(np.uint8))
