"""Money that is set aside for work that the ledger knows nothing of yet: counted in the durable Redis, for moments."""
