"""Usage as its account reads it: queries, their sums, the single records, and both as rows of a file."""
