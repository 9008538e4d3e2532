"""The output of results, for people or for programs."""

import json
from collections.abc import Sequence
from typing import Any

from maas_client.cli.tables import table_lines
from maas_client.client import Client
from maas_client.resources import Page, Result

FORMATS = ("text", "md", "html", "json", "chunks", "pdf", "csv", "xlsx")


def rendered(client: Client, results: Sequence[Result], form: str) -> str:
    """Render the results. Several results are a list in JSON; in other formats they follow each other."""
    if form == "json":
        data = [result.data for result in results]
        return json.dumps(data[0] if len(data) == 1 else data, ensure_ascii=False, indent=2) + "\n"
    if form == "md":
        return "\n".join(client.markdown(result.id) for result in results)
    if form == "html":
        return "".join(client.html(result.id) for result in results)
    if form == "csv":
        return "\r\n".join(client.csv(result.id) for result in results)
    if form == "chunks":
        chunks = (chunk for result in results for chunk in client.chunks(result.id))
        return "".join(json.dumps(chunk, ensure_ascii=False) + "\n" for chunk in chunks)
    return "\n".join(_text(result) for result in results)


def fields_as_text(results: Sequence[Result]) -> str:
    """Return a table of the fields of each result, and below it what contradicts."""
    return "\n".join(_fields(result) for result in results)


def fields_as_json(results: Sequence[Result]) -> str:
    names = ("fields", "tax_rates", "line_items", "warnings")
    data = [{"job": result.id, **{name: result.data.get(name, []) for name in names}} for result in results]
    return json.dumps(data[0] if len(data) == 1 else data, ensure_ascii=False, indent=2) + "\n"


def _fields(result: Result) -> str:
    found = result.data.get("fields") or []
    if not found:
        return "No fields were found.\n"
    titles = ("FIELD", "VALUE", "NORMALIZED", "PAGE", "CONFIDENCE")
    rows = [
        (
            printable(field["name"]),
            printable(field["value"]),
            printable(field["normalized"] or " / ".join(field.get("ambiguous", ())) or "-"),
            field["page"],
            "corrected" if field.get("corrected") else f"{field['confidence']:.0%}",
        )
        for field in found
    ]
    warnings = [f"Warning: {printable(warning['message'])}" for warning in result.data.get("warnings", ())]
    return "\n".join([*table_lines(titles, rows), *warnings]) + "\n"


def printable(text: str | None) -> str:
    """Return what a document says without characters that a terminal would act on."""
    return "".join(letter if letter.isprintable() else " " for letter in text or "-")


def _text(result: Result) -> str:
    return "\n\n".join(words for page in result.pages if (words := _words(page))).rstrip("\n") + "\n"


def _words(page: Page) -> str:
    """Return the text of a page, or its other result if the model returns no text."""
    if "text" in page.data:
        return page.text
    given: dict[str, Any] = {
        name: page.data[name] for name in ("embedding", "embeddings", "outputs") if page.data.get(name)
    }
    return json.dumps(given) if given else ""
