"""What bench_peers compares this product with: other servers, what all of them serve, and the client that asks."""
