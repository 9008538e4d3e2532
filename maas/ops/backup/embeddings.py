"""What of a backup needs pgvector: a database without it takes all the rest."""

import psycopg

from jobs.search import embeddings_table

# Half floats came with 0.7.
_OFFERED = """
SELECT EXISTS (
    SELECT FROM pg_available_extensions
    WHERE name = 'vector' AND string_to_array(default_version, '.')::int[] >= '{0,7}'
)
"""
TABLE = embeddings_table.TABLE
_MARKS = (TABLE, " EXTENSION - vector ", " COMMENT - EXTENSION vector ")


def are_taken(url: str) -> bool:
    with psycopg.connect(url) as connection:
        row = connection.execute(_OFFERED).fetchone()
    return row is not None and bool(row[0])


def left_out(contents: str) -> str:
    """The list of a dump's contents, as pg_restore gives and takes it, without them."""
    kept = [line for line in contents.splitlines() if not any(mark in f"{line} " for mark in _MARKS)]
    return "\n".join(kept) + "\n"
