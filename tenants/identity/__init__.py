"""Who calls, and what they may do: pure."""
