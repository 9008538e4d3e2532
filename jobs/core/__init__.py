"""The tables, states, errors and small decisions that the whole app shares."""
