"""The ledger of tenants' money, in double entry: balances, holds for work in progress, and charges."""
