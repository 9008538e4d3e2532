"""Finds the tables of PDF files with another program, in its own environment, and prints them as JSON.

This file is run by that environment's interpreter, and imports nothing of this product.
"""

import json
import sys
import time
from importlib import import_module
from typing import Any


def camelot_tables(path: str, flavor: str) -> list[list[list[str]]]:
    camelot: Any = import_module("camelot")
    return [table.df.values.tolist() for table in camelot.read_pdf(path, pages="all", flavor=flavor)]


def pdfplumber_tables(path: str) -> list[list[list[str]]]:
    pdfplumber: Any = import_module("pdfplumber")
    with pdfplumber.open(path) as document:
        found = [rows for page in document.pages for rows in page.extract_tables()]
    return [[[text or "" for text in row] for row in rows] for rows in found]


def main() -> None:
    way, *paths = sys.argv[1:]
    started, found = time.process_time(), {}
    for path in paths:
        try:
            tables = pdfplumber_tables(path) if way == "pdfplumber" else camelot_tables(path, way)
        except Exception as error:
            print(f"{way} fails on {path}: {error!r}", file=sys.stderr)
            tables = []
        found[path] = tables
    json.dump({"tables": found, "seconds": time.process_time() - started}, sys.stdout)


if __name__ == "__main__":
    main()
