"""Exports a job as chunks for retrieval: JSON Lines, with a chunk in each line."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from jobs.results.exports.chunks import Chunk, ChunkPage, ChunkPart, chunks_of
from jobs.results.exports.job_export import ExportPage, JobExport
from jobs.results.exports.page_blocks import blocks_of, body_of, with_letterhead
from jobs.results.pictures.turns import number


def chunk_blocks(export: JobExport) -> Iterator[bytes]:
    parts = (part for page in export.read() for part in _parts(page))
    for position, chunk in enumerate(chunks_of(parts), 1):
        yield json.dumps(_chunk_json(chunk, position, export), ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _parts(page: ExportPage) -> Iterator[ChunkPart]:
    if page.remark:
        return
    size = ChunkPage(page.number, number(page.result.get("width")), number(page.result.get("height")))
    for block in body_of(with_letterhead(blocks_of(page.result), page.number)):
        yield ChunkPart(size, block)


def _chunk_json(chunk: Chunk, position: int, export: JobExport) -> dict[str, object]:
    document = export.job.document
    return {
        "object": "chunk",
        "number": position,
        "job": str(export.job.id),
        "document": str(document.id) if document else None,
        "name": export.title,
        "text": chunk.text,
        "words": chunk.words,
        "headings": chunk.headings,
        "pages": [_page_json(page, list(parts)) for page, parts in groupby(chunk.parts, key=lambda part: part.page)],
    }


def _page_json(page: ChunkPage, parts: Sequence[ChunkPart]) -> dict[str, object]:
    return {
        "number": page.number,
        "width": page.width,
        "height": page.height,
        "blocks": [part.block.number for part in parts if part.block.number is not None],
        "boxes": [part.block.box for part in parts if part.block.box is not None],
    }
