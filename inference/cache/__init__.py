"""Results that answer the same input again: kept in the process and in the cache Redis, for one tenant each."""
