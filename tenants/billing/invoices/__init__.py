"""What is billed: drawn from usage, numbered without gaps, never changed. A credit note takes back what was wrong."""
