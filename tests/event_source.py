"""Parses an event stream as the HTML standard says, over any HTTP client that returns text lines."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Said:
    """A block of a stream."""

    name: str = "message"
    id: str | None = None
    retry_ms: int | None = None
    text: list[str] = field(default_factory=list)
    comment: str | None = None

    @property
    def data(self) -> Any:
        return json.loads("\n".join(self.text))


def said_in(lines: Iterable[str]) -> Iterator[Said]:
    """Yield block by block. A block that is cut off in the middle is ignored."""
    block = Said()
    fresh = True
    for line in lines:
        if not line:
            if not fresh:
                yield block
            block, fresh = Said(), True
            continue
        fresh = False
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "":
                block.comment = value
            case "event":
                block.name = value
            case "id":
                block.id = value
            case "retry":
                block.retry_ms = int(value)
            case "data":
                block.text.append(value)


def events_in(said: Iterable[Said]) -> Iterator[Said]:
    """Yield the events, without blocks that only keep the connection open or set its pace."""
    return (one for one in said if one.text)
