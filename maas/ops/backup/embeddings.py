"""The part of a backup that needs pgvector. A database without pgvector can restore everything else."""

import psycopg

from jobs.search.services import EMBEDDINGS as TABLE

__all__ = ["TABLE", "are_taken", "left_out"]

# Half-precision vectors need pgvector 0.7.
_OFFERED = """
SELECT EXISTS (
    SELECT FROM pg_available_extensions
    WHERE name = 'vector' AND string_to_array(default_version, '.')::int[] >= '{0,7}'
)
"""
_MARKS = (TABLE, " EXTENSION - vector ", " COMMENT - EXTENSION vector ")


def are_taken(url: str) -> bool:
    with psycopg.connect(url) as connection:
        row = connection.execute(_OFFERED).fetchone()
    return row is not None and bool(row[0])


def left_out(contents: str) -> str:
    """Return a dump's list of contents without the embeddings, in the format that pg_restore writes and reads."""
    kept = [line for line in contents.splitlines() if not any(mark in f"{line} " for mark in _MARKS)]
    return "\n".join(kept) + "\n"
