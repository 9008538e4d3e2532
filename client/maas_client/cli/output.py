"""The output of results, for people or for programs."""

import json
from collections.abc import Sequence
from typing import Any

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
