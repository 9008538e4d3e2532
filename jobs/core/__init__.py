"""What every room of this app shares: its tables, states, errors and small decisions."""
