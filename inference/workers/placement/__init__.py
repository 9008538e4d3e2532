"""Which worker serves which model: every worker decides for itself, alike, from what all of them say."""
