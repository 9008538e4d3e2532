"""Usage as its account reads it: what was asked for, its sums, the single records, and both as lines of a file."""
