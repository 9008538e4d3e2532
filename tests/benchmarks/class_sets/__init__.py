"""Generate business papers that look alike, and stacks of them, for class sets."""
