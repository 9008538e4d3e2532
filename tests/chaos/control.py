"""Disables the outbox, so that a run finds something: one send after the commit, and no message is sent again.

This is done in the run's own database, where the product cannot undo it. No installation can be told to do this.
"""

import psycopg

_ONCE = """
CREATE FUNCTION chaos_send_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.renotify_at := '9999-01-01';
    RETURN NEW;
END $$;
CREATE TRIGGER chaos_send_once BEFORE UPDATE ON jobs_page
    FOR EACH ROW WHEN (NEW.renotify_at IS NOT NULL) EXECUTE FUNCTION chaos_send_once();
"""


def remove_outbox(owner_url: str) -> None:
    with psycopg.connect(owner_url) as connection:
        connection.execute(_ONCE)
