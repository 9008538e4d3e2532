"""One server for each peer. Each runs in that peer's own environment, so nothing of this product is imported here."""
