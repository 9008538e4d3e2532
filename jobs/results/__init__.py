"""What was read: stored once, found again, and taken home."""
