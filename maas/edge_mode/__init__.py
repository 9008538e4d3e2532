"""Edge mode: chosen models served over HTTP by one process, on the same engine, without database, broker or worker."""
