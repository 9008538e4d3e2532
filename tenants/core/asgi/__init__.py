"""What a request is before Django sees it, and what waits and works beside requests."""
