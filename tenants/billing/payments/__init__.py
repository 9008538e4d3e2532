"""How money comes in: by a provider, of which bank transfers are one, and always told to the ledger."""
