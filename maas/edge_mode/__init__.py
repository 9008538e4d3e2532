"""Edge mode serves chosen models over HTTP from one process on the same engine, without database, broker or worker."""
