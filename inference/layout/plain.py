"""The blocks of a plain text, whose lines have no positions: empty lines part its paragraphs."""

from collections.abc import Sequence
from dataclasses import dataclass

from inference.core.contracts import Json
from inference.layout.paragraphs import begins_item


@dataclass(frozen=True, slots=True)
class PlainLayout:
    blocks: list[Json]
    text: str


def plain_layout(texts: Sequence[str]) -> PlainLayout:
    blocks: list[list[int]] = []
    open_block = False
    for index, text in enumerate(texts):
        if not text.strip():
            open_block = False
        elif open_block and not begins_item(text):
            blocks[-1].append(index)
        else:
            blocks.append([index])
            open_block = True
    return PlainLayout([_block(texts, lines) for lines in blocks], "\n".join(texts))


def _block(texts: Sequence[str], lines: list[int]) -> Json:
    kind = "list_item" if begins_item(texts[lines[0]]) else "paragraph"
    return {"type": kind, "box": None, "lines": lines}
